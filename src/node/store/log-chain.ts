import { crc32 } from 'node:zlib'
import { type LogLine, lineOf } from './log-line.ts'
import { exactly } from './parse.ts'
import type { PetReader } from './pet-reader.ts'
import { markOf, membersOf, seqOf, ValidationError } from './shape.ts'

/**
 * A point in the history of changes: the sequence number of the last one, and the checksum of all lines up to it. The
 * first checksum is random, so that two histories have different marks, and a copy that has diverged is detected.
 */
export interface Position {
  readonly seq: number
  readonly mark: number
}

/** The first line of a file of the log: the point after which it begins. Files of version 0.1.0 have none. */
export interface Header extends Position {
  /** Whether it replaces everything before it. */
  readonly fresh: boolean
}

const CHECKSUM = ',"crc":'

/** Closes a line with the checksum of all lines up to it. */
export const sealed = (body: string, mark: number): string => `${body}${CHECKSUM}${mark}}\n`

export function headerText({ seq, mark, fresh }: Header): string {
  const body = `{"op":"log","seq":${seq},"after":${mark}${fresh ? ',"fresh":true' : ''}`
  return sealed(body, crc32(body, mark))
}

/** Undefined if the line is not a header; throws a ValidationError or a SyntaxError if it is damaged. */
export function headerOf(text: string): Header | undefined {
  if (!text.startsWith('{"op":"log"')) return undefined
  const line = membersOf(JSON.parse(text), [], ['op', 'seq', 'after', 'fresh', 'crc'])
  const header = {
    seq: seqOf(line.seq, ['seq']),
    mark: markOf(line.after, ['after']),
    fresh: line.fresh === true,
  }
  if (`${text}\n` !== headerText(header)) throw new ValidationError([], WRONG_CHECKSUM)
  return header
}

const WRONG_CHECKSUM = 'the checksum of this line does not match: it was changed after it was written'

/** The next line of the log, and the mark after it. Throws a ValidationError or a SyntaxError. */
export function readLine(
  text: string,
  mark: number,
  hasChecksum: boolean,
  reader: PetReader,
): { line: LogLine; mark: number } {
  if (!hasChecksum) return { line: exactly(text, (value) => lineOf(value, reader)), mark: crc32(text, mark) }
  const end = text.lastIndexOf(CHECKSUM)
  const body = text.slice(0, end)
  const next = crc32(body, mark)
  if (end === -1 || `${text}\n` !== sealed(body, next)) throw new ValidationError([], WRONG_CHECKSUM)
  return { line: exactly(`${body}}`, (value) => lineOf(value, reader)), mark: next }
}

/** True if a line continues after its checksum: it is not truncated, but was changed. */
export const goesOn = (text: string): boolean => /,"crc":\d+([^\d}]|\}.)/s.test(text)
