import fs from 'node:fs'
import { PRIVATE } from './replace-file.ts'

/** A file of the log that is complete. */
export interface ClosedLog {
  readonly path: string
  readonly size: number
}

/** One file of the change log: append, commit, roll back. It is created by the first write. */
class LogFile {
  readonly path: string
  #handle: number | undefined
  #size = 0
  #committed = 0

  constructor(path: string) {
    this.path = path
  }

  /** The committed bytes. */
  get size(): number {
    return this.#committed
  }

  get isOpen(): boolean {
    return this.#handle !== undefined
  }

  get isEmpty(): boolean {
    return this.#size === 0
  }

  /** Writes text to the operating system; throws if not all of it was written. */
  write(text: string): void {
    this.#handle ??= create(this.path)
    const bytes = Buffer.from(text)
    let written = 0
    while (written < bytes.length) {
      const count = fs.writeSync(this.#handle, bytes, written, bytes.length - written, this.#size)
      if (count === 0) throw new Error('nothing could be written')
      written += count
      this.#size += count
    }
  }

  /** Commits what was written so far. */
  commit(): void {
    this.#committed = this.#size
  }

  /** Removes what is not committed; throws if that fails. */
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

/** Never opens a file with content, nor one through a link; a failed attempt may have left an empty one. */
function create(path: string): number {
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  if (found?.isFile() && found.size === 0) fs.rmSync(path)
  return fs.openSync(path, 'wx+', PRIVATE)
}

/** The files of the change log: the current one, and older ones that are newer than the data file. */
export class LogFiles {
  readonly #pathOf: (base: number) => string
  readonly #warn: (message: string) => void
  #current: LogFile
  #older: readonly ClosedLog[]
  readonly #former: readonly ClosedLog[]

  /**
   * `pathOf`: the path of the file that begins after the change with that number; `former`: those of the older ones that
   * belong to an earlier history.
   */
  constructor(
    pathOf: (base: number) => string,
    seq: number,
    { logs, former }: { readonly logs: readonly ClosedLog[]; readonly former: readonly ClosedLog[] },
    warn: (message: string) => void,
  ) {
    this.#pathOf = pathOf
    this.#warn = warn
    this.#current = new LogFile(pathOf(seq))
    this.#older = logs
    this.#former = former
  }

  get current(): LogFile {
    return this.#current
  }

  /** Whether files of an earlier history are left, which a start must not read. */
  get hasFormer(): boolean {
    return this.#older.some((log) => this.#former.includes(log))
  }

  /** The size of all files, in bytes. */
  get size(): number {
    return this.#older.reduce((sum, { size }) => sum + size, this.#current.size)
  }

  /** Begins a new file after the change with that number, unless the current one is empty; returns the older files. */
  roll(seq: number): readonly ClosedLog[] {
    const { path, size } = this.#current
    if (size > 0) {
      this.#close()
      this.#older = [...this.#older, { path, size }]
      this.#current = new LogFile(this.#pathOf(seq))
    }
    return this.#older
  }

  /** Removes files whose changes the data file holds. The oldest first, so that a crash leaves no gap. */
  async forget(older: readonly ClosedLog[]): Promise<void> {
    for (const log of older) {
      await fs.promises.rm(log.path, { force: true })
      this.#older = this.#older.filter((other) => other !== log)
    }
  }

  /** Closes the files; one without a change is removed, unless `check` throws. */
  close(check: () => void): void {
    const { path, size, isOpen } = this.#current
    this.#close()
    if (size > 0 || !isOpen) return
    this.#attempt(() => {
      check()
      fs.rmSync(path, { force: true })
    })
  }

  /** Closing may fail without loss: the operating system has the data. */
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
