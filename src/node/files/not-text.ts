import { constants, isUtf8 } from 'node:buffer'
import { inMiB } from '../../text/in-thousands.ts'

const UTF_16 = 'this is UTF-16 text; save it as UTF-8 (a table in a spreadsheet as "CSV UTF-8")'

/** Whether a file begins with a byte order mark of UTF-16, as Windows PowerShell writes it. */
export const isUtf16 = (bytes: Buffer): boolean => /^(\xff\xfe|\xfe\xff)/.test(bytes.toString('latin1', 0, 2))

/**
 * The first line that is not UTF-8 (reason `otherEncoding`) or contains a NUL, with the reason; also for a text that is
 * longer than Node can read. Undefined if there is none.
 */
export function notText(
  bytes: Buffer,
  otherEncoding = 'this is not UTF-8',
): { readonly line: number; readonly reason: string } | undefined {
  const { length } = bytes
  const { MAX_STRING_LENGTH: longest } = constants
  if (length > longest)
    return { line: 1, reason: `this has ${inMiB(length)}; at most ${inMiB(longest)} can be read` }
  if (isUtf8(bytes) && !bytes.includes(0)) return undefined
  if (isUtf16(bytes)) return { line: 1, reason: UTF_16 }
  for (let [line, start] = [1, 0]; ; line++) {
    const end = bytes.indexOf('\n', start)
    const text = bytes.subarray(start, end === -1 ? undefined : end)
    if (!isUtf8(text)) return { line, reason: otherEncoding }
    if (text.includes(0)) return { line, reason: 'this contains a NUL character, so it is not text' }
    start = end + 1
  }
}
