import { isUtf8 } from 'node:buffer'
import { DataFileError, reasonOf, unreadable } from './data-file-error.ts'
import { goesOn, type Header, headerOf, type Position, readLine } from './log-codec.ts'
import type { PetReader } from './pet-reader.ts'
import { badLineOf, blocksOf } from './read-blocks.ts'
import type { Replay } from './replay.ts'

const NEWLINE = 10

/** What was found in one file of the log. */
export interface LogRead {
  readonly path: string
  readonly size: number
  /** Bytes of its whole lines; 0 where it holds no change. */
  readonly whole: number
}

/** Takes the lines of the log, file by file, into the replay. */
export class LogReader {
  /** The mark behind the last line. */
  mark: number
  /** Of the present file; undefined in one of version 0.1.0. */
  #header: Header | undefined
  readonly #replay: Replay
  readonly #reader: PetReader
  readonly #reached: (position: Position, line: number, header: Header | undefined) => void
  #line = 0

  /** `reached` is told of each point of the history; it throws a DataFileError where that cannot be one. */
  constructor(
    replay: Replay,
    mark: number,
    reader: PetReader,
    reached: (position: Position, line: number, header: Header | undefined) => void,
  ) {
    this.#replay = replay
    this.mark = mark
    this.#reader = reader
    this.#reached = reached
  }

  /** Only the newest file may end within a line: that is what a crash leaves. Rejects with a DataFileError. */
  async read(path: string, isNewest: boolean): Promise<LogRead> {
    let [size, whole] = [0, 0]
    this.#line = 0
    this.#header = undefined
    for await (const block of blocksOf(path)) {
      if (size > whole && block.length > 0)
        throw unreadable(path, this.#line, 'this line is cut off, and others follow')
      size += block.length
      if (block.at(-1) === NEWLINE) whole += this.#takeBlock(block, path)
      else if (this.#isChanged(block.toString('latin1')))
        throw unreadable(path, this.#line + 1, 'this line was changed after it was written')
    }
    if (whole < size && !isNewest)
      throw unreadable(path, this.#line, 'the end of the log is cut off, but a newer log follows')
    return { path, size, whole: this.#header && this.#line === 1 ? 0 : whole }
  }

  /** The bytes of the lines that are whole: all, or all but the last one. */
  #takeBlock(block: Buffer, path: string): number {
    if (!isUtf8(block)) throw unreadable(path, this.#line + badLineOf(block), 'this is not UTF-8')
    const lines = block.toString().slice(0, -1).split('\n')
    for (const [index, text] of lines.entries()) {
      this.#line++
      try {
        this.#take(text)
      } catch (error) {
        if (error instanceof DataFileError) throw error
        if (index === lines.length - 1 && this.#isCut(text)) {
          this.#line--
          return block.length - Buffer.byteLength(text) - 1
        }
        throw unreadable(path, this.#line, reasonOf(error))
      }
    }
    return block.length
  }

  #take(text: string): void {
    if (this.#line === 1) {
      this.#header = headerOf(text)
      this.#reached({ seq: this.#replay.seq, mark: this.#header?.mark ?? this.mark }, 1, this.#header)
      if (this.#header) {
        this.mark = this.#header.mark
        return
      }
    }
    const { line, mark } = readLine(text, this.mark, this.#header !== undefined, this.#reader)
    this.#replay.take(line)
    this.mark = mark
    this.#reached({ seq: this.#replay.seq, mark }, this.#line, this.#header)
  }

  #isChanged = (text: string): boolean =>
    (this.#header !== undefined || text.startsWith('{"op":"log"')) && goesOn(text)

  /** A line of which the end is missing; an editor may have put a newline there. */
  #isCut = (text: string): boolean => text.startsWith('{') && !text.endsWith('}') && !this.#isChanged(text)
}
