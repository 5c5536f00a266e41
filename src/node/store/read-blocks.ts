import { isUtf8 } from 'node:buffer'
import fs from 'node:fs'

const BLOCK = 512 * 1024
const NEWLINE = 10

/**
 * The bytes of a file in blocks of whole lines; the last block is what follows the last newline (possibly nothing).
 * The event loop runs between two blocks.
 */
export async function* blocksOf(path: string): AsyncGenerator<Buffer> {
  const handle = await fs.promises.open(path)
  try {
    let rest: Buffer[] = []
    for (;;) {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(BLOCK), 0, BLOCK)
      if (bytesRead === 0) break
      const read = buffer.subarray(0, bytesRead)
      const end = read.lastIndexOf(NEWLINE) + 1
      if (end > 0) {
        yield Buffer.concat([...rest, read.subarray(0, end)])
        rest = []
      }
      rest.push(read.subarray(end))
    }
    yield Buffer.concat(rest)
  } finally {
    await handle.close()
  }
}

/** The number of the first line that is not UTF-8. */
export function badLineOf(bytes: Buffer): number {
  let [line, start] = [1, 0]
  for (let end = bytes.indexOf('\n'); end !== -1; end = bytes.indexOf('\n', start)) {
    if (!isUtf8(bytes.subarray(start, end))) break
    line++
    start = end + 1
  }
  return line
}
