import { isUtf8 } from 'node:buffer'

/** The first line that is not UTF-8 (reason `otherEncoding`) or contains a NUL, with the reason; undefined if none is. */
export function notText(
  bytes: Buffer,
  otherEncoding = 'this is not UTF-8',
): { readonly line: number; readonly reason: string } | undefined {
  if (isUtf8(bytes) && !bytes.includes(0)) return undefined
  for (let [line, start] = [1, 0]; ; line++) {
    const end = bytes.indexOf('\n', start)
    const text = bytes.subarray(start, end === -1 ? undefined : end)
    if (!isUtf8(text)) return { line, reason: otherEncoding }
    if (text.includes(0)) return { line, reason: 'this holds a NUL character, so it is not text' }
    start = end + 1
  }
}
