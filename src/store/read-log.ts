import { isUtf8 } from 'node:buffer'
import { badLineOf, blocksOf } from './blocks.ts'
import { reasonOf, unreadable } from './data-file-error.ts'
import { lineOf } from './log-line.ts'
import { exactly, type ParseJson } from './parse.ts'
import type { Replay } from './replay.ts'

const NEWLINE = 10

/**
 * Takes every line of one file of the log into the replay. Only the newest file may end within a line: that is
 * what a crash leaves. Resolves to the size of the file and of its whole lines; rejects with a DataFileError.
 */
export async function readLog(
  path: string,
  newest: boolean,
  parse: ParseJson,
  replay: Replay,
): Promise<{ size: number; whole: number }> {
  let [size, whole, number] = [0, 0, 0]
  for await (const block of blocksOf(path)) {
    if (size > whole && block.length > 0)
      throw unreadable(path, number, 'this line is cut off, and others follow')
    size += block.length
    if (block.at(-1) !== NEWLINE) break
    if (!isUtf8(block)) throw unreadable(path, number + badLineOf(block), 'this is not UTF-8')
    const lines = block.toString().split('\n')
    for (const [index, text] of lines.slice(0, -1).entries()) {
      number++
      const last = index === lines.length - 2
      try {
        replay.take(exactly(text, parse, lineOf))
      } catch (error) {
        if (last && isCut(text, error)) break
        throw unreadable(path, number, reasonOf(error))
      }
      whole += Buffer.byteLength(text) + 1
    }
  }
  if (whole < size && !newest)
    throw unreadable(path, number, 'the end of the log is cut off, but a newer log follows')
  return { size, whole }
}

/** A line of which the end is missing; an editor may have put a newline there. */
const isCut = (text: string, error: unknown): boolean =>
  error instanceof SyntaxError && text.startsWith('{') && !text.endsWith('}')
