import fs from 'node:fs'
import { PRIVATE } from './replace-file.ts'

/** A file of the log that grows no more. */
export interface ClosedLog {
  readonly path: string
  readonly size: number
}

/** One file of the change log: grows at its end, and goes back to what was committed. Made at the first write. */
class LogFile {
  readonly path: string
  #handle: number | undefined
  #size = 0
  #committed = 0

  constructor(path: string) {
    this.path = path
  }

  /** Bytes that count. */
  get size(): number {
    return this.#committed
  }

  get isOpen(): boolean {
    return this.#handle !== undefined
  }

  get isEmpty(): boolean {
    return this.#size === 0
  }

  /** Hands text to the operating system; throws where it did not take all of it. */
  write(text: string): void {
    this.#handle ??= openEmpty(this.path)
    const bytes = Buffer.from(text)
    let written = 0
    while (written < bytes.length) {
      const count = fs.writeSync(this.#handle, bytes, written, bytes.length - written, this.#size)
      if (count === 0) throw new Error('nothing could be written')
      written += count
      this.#size += count
    }
  }

  /** What was written so far counts. */
  commit(): void {
    this.#committed = this.#size
  }

  /** Cuts off what does not count; throws where that fails. */
  cutBack(): void {
    if (this.#handle !== undefined) fs.ftruncateSync(this.#handle, this.#committed)
    this.#size = this.#committed
  }

  close(): void {
    const handle = this.#handle
    this.#handle = undefined
    if (handle !== undefined) fs.closeSync(handle)
  }
}

/** Never over a file that holds something; one that a failed attempt has left is empty. */
function openEmpty(path: string): number {
  const handle = fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT, PRIVATE)
  try {
    if (fs.fstatSync(handle).size === 0) return handle
    throw new Error('the file is there already')
  } catch (error) {
    fs.closeSync(handle)
    throw error
  }
}

/** The files of the change log: the one that grows, and older ones that the data file does not hold yet. */
export class LogFiles {
  readonly #pathOf: (base: number) => string
  readonly #warn: (message: string) => void
  #current: LogFile
  #older: readonly ClosedLog[]

  /** `pathOf` tells where the file goes that begins after the change with that number. */
  constructor(
    pathOf: (base: number) => string,
    seq: number,
    older: readonly ClosedLog[],
    warn: (message: string) => void,
  ) {
    this.#pathOf = pathOf
    this.#warn = warn
    this.#current = new LogFile(pathOf(seq))
    this.#older = older
  }

  get current(): LogFile {
    return this.#current
  }

  /** Bytes of all of them. */
  get size(): number {
    return this.#older.reduce((sum, { size }) => sum + size, this.#current.size)
  }

  /** Begins a new file after the change with that number, unless the present one is empty; returns all before it. */
  roll(seq: number): readonly ClosedLog[] {
    const { path, size } = this.#current
    if (size > 0) {
      this.#close()
      this.#older = [...this.#older, { path, size }]
      this.#current = new LogFile(this.#pathOf(seq))
    }
    return this.#older
  }

  /** The data file holds what these say. Oldest first, so that whatever a crash leaves is without a gap. */
  async forget(older: readonly ClosedLog[]): Promise<void> {
    for (const log of older) {
      await fs.promises.rm(log.path, { force: true })
      this.#older = this.#older.filter((other) => other !== log)
    }
  }

  /** Lets go of the files; one without a change is removed, unless `check` throws. */
  close(check: () => void): void {
    const { path, size, isOpen } = this.#current
    this.#close()
    if (size > 0 || !isOpen) return
    this.#attempt(() => {
      check()
      fs.rmSync(path, { force: true })
    })
  }

  /** What was written is with the operating system: a failing close loses nothing of it, and ends nothing. */
  #close(): void {
    this.#attempt(() => this.#current.close())
  }

  #attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#warn(`${this.#current.path}: ${(error as Error).message}. Nothing is lost.`)
    }
  }
}
