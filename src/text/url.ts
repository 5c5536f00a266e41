/** Parses a URL; undefined if it is not valid. URL.canParse of Node 20 and 22 refuses letters such as ü after some thousand calls. */
export function urlOf(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/** The host of a URL, with an address of IPv6 without its brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

/** An address without trailing slashes. */
export const withoutSlashes = (address: string): string => address.replace(/(?<!\/)\/+$/, '')

/** Decodes percent-encoded text; a text that cannot be decoded is returned unchanged. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
