/** How a key is shown: it never appears whole. */
export const maskKey = (key: string): string => (key.startsWith('psk_') ? 'psk_…' : '…')

const OWN_FORM = /psk_[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)?/g

/** A text with every key of the sandbox's own form, and `key` whatever its form, masked. */
export function maskText(text: string, key?: string): string {
  const masked = text.replace(OWN_FORM, 'psk_…')
  return key && !key.startsWith('psk_') ? masked.replaceAll(key, '…') : masked
}

/** A path or a query, masked; decoded first where a key hides behind percent-encoding. */
export function maskUrlPart(text: string, key?: string): string {
  const shown = maskText(text, key)
  if (!text.includes('%')) return shown
  const decoded = decodePercent(text)
  const mask = maskText(decoded, key)
  return mask === decoded ? shown : mask
}

/** Every percent-encoded ASCII character decoded, whatever else the text holds. */
const decodePercent = (text: string): string =>
  text.replace(/%([0-7][0-9A-Fa-f])/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

/** Header fields, flat, as a record: credentials masked, repeated names joined as RFC 9110 (section 5.3) has it. */
export function maskHeaders(headers: readonly string[], key?: string): Record<string, string> {
  const fields = new Map<string, string>()
  for (let i = 0; i < headers.length; i += 2) {
    const name = (headers[i] ?? '').toLowerCase()
    const value = maskValue(name, headers[i + 1] ?? '', key)
    const before = fields.get(name)
    fields.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(fields)
}

const CREDENTIALS = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'x-api-key'])

function maskValue(name: string, value: string, key: string | undefined): string {
  if (!CREDENTIALS.has(name)) return maskText(value, key)
  const [scheme = '', ...rest] = value.split(/ +/)
  return rest.length > 0 ? `${scheme} ${maskKey(rest.join(' '))}` : maskKey(scheme)
}
