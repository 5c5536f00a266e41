import { rememberLast } from './remember-last.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const strict = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })

/** A buffer to measure texts in; most texts fit. */
const scratch = new Uint8Array(64 * 1024)

/** A text without the byte order mark that some editors write at its beginning. */
export const withoutMark = (text: string): string => text.replace(/^\uFEFF/, '')

/** The number of bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  const { read, written } = encoder.encodeInto(text, scratch)
  return read === text.length ? written : encoder.encode(text).length
}

export const encodeUtf8 = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text)

/** Invalid bytes become U+FFFD. */
export const decodeUtf8 = (bytes: Uint8Array): string => decoder.decode(bytes)

/** The text of the first `limit` bytes, without a character that the limit would cut. */
export const decodeStart = (bytes: Uint8Array, limit: number): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, limit), { stream: true })

/**
 * The text of bytes, which must not change later; undefined if they are not UTF-8. Remembered, because a body is decoded
 * twice: when it is read and when it is recorded.
 */
export const textOf = rememberLast((bytes: Uint8Array): string | undefined => {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
})

/** Bytes as Base64 (RFC 4648, section 4). */
export function base64Of(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

/** Decodes Base64. */
export const bytesOfBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
