import { isUtf8 } from 'node:buffer'
import { DataFileError, reasonOf, unreadable } from './data-file-error.ts'
import { goesOn, type Header, headerOf, type Position, readLine } from './log-chain.ts'
import type { PetReader } from './pet-reader.ts'
import { badLineOf, blocksOf } from './read-blocks.ts'
import type { Replay } from './replay.ts'

const NEWLINE = 10

/** The result of reading one file of the log. */
export interface LogRead {
  readonly path: string
  readonly size: number
  /** The size of its complete lines in bytes; 0 if it holds no change. */
  readonly whole: number
}

/** Replays the lines of the log, file by file. */
export class LogReader {
  /** The mark after the last line. */
  mark: number
  /** The header of the current file; undefined in a file of version 0.1.0. */
  #header: Header | undefined
  readonly #replay: Replay
  readonly #reader: PetReader
  readonly #reached: (position: Position, line: number, header: Header | undefined) => void
  #line = 0

  /** `reached` is called with each point of the history; it throws a DataFileError if the point is not valid. */
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

  /** Only the newest file may end within a line, as after a crash. Rejects with a DataFileError. */
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

  /** The size of the complete lines in bytes: all lines, or all but the last one. */
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

  /** True for a truncated line; an editor may have added a newline to it. */
  #isCut = (text: string): boolean => text.startsWith('{') && !text.endsWith('}') && !this.#isChanged(text)
}
