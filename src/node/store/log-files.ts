import fs from 'node:fs'
import { errorMessage } from '../../text/error.ts'
import type { Warn } from './data-file-error.ts'
import { PRIVATE } from './replace-file.ts'

/** A file of the log that is complete. */
export interface ClosedLog {
  readonly path: string
  readonly size: number
  /** It belongs to a history that a fresh start ended, so that no start may read it. */
  readonly isEnded?: true
}

/** The path of the file of a log that begins after the change with the number `base`. */
export const logPath = (dataFile: string, base: number): string => `${dataFile}.${base}.log`

/** The files of the change log: the current one, which the first write creates, and older ones. */
export class LogFiles {
  readonly #dataFile: string
  readonly #check: () => void
  readonly #warn: Warn
  #older: readonly ClosedLog[]
  #path: string
  #handle: number | undefined
  /** The size of the complete lines in bytes. */
  #size = 0
  /** Identifies the new file in its folder. */
  #inode: number | undefined
  /** Whether a file was removed, replaced or shortened: lines are lost until the data file contains everything. */
  isLost = false
  /** Whether an incomplete line may follow the complete ones. */
  #isTorn = false

  /** `seq`: the number of the last change; `check`: throws if writing is not allowed (any more). */
  constructor(dataFile: string, seq: number, older: readonly ClosedLog[], check: () => void, warn: Warn) {
    this.#dataFile = dataFile
    this.#path = logPath(dataFile, seq)
    this.#older = older
    this.#check = check
    this.#warn = warn
  }

  /** The path of the current file. */
  get path(): string {
    return this.#path
  }

  get isEmpty(): boolean {
    return this.#size === 0
  }

  /** The size of all files, in bytes. */
  get size(): number {
    return this.#older.reduce((sum, { size }) => sum + size, this.#size)
  }

  /** Hands text to the operating system. Throws if not all of it was written; then none of it is valid. */
  append(text: string): void {
    this.#check()
    this.#cutBack()
    this.#handle ??= create(this.#path)
    // By its path: if the folder was moved away and a copy put back, a start reads the copy.
    const found = fs.statSync(this.#path, { throwIfNoEntry: false })
    this.#inode ??= found?.ino
    if (found?.ino !== this.#inode || (found?.size ?? -1) < this.#size) this.isLost = true
    if (this.isLost)
      throw new Error('it was removed or replaced. Changes are possible again once the data file is written')
    const bytes = Buffer.from(text)
    try {
      for (let written = 0; written < bytes.length; ) {
        const at = this.#size + written
        const count = fs.writeSync(this.#handle, bytes, written, bytes.length - written, at)
        if (count === 0) throw new Error('nothing could be written')
        written += count
      }
      this.#size += bytes.length
    } catch (error) {
      this.#isTorn = true
      try {
        this.#cutBack()
      } catch {
        // The next write cuts the file first.
      }
      throw error
    }
  }

  /** Begins a new file after the change with that number, unless the current one is empty; returns the older files. */
  roll(seq: number): readonly ClosedLog[] {
    this.#cutBack()
    if (this.isLost) this.#close()
    if (this.#size > 0) {
      this.#close()
      this.#older = [...this.#older, { path: this.#path, size: this.#size }]
      this.#path = logPath(this.#dataFile, seq)
      this.#size = 0
    }
    return this.#older
  }

  /** Removes files whose changes are in the data file, the oldest first, so that a crash leaves no gap. */
  async forget(older: readonly ClosedLog[]): Promise<void> {
    this.#check()
    for (const log of older) {
      await fs.promises.rm(log.path, { force: true })
      this.#older = this.#older.filter((other) => other !== log)
    }
  }

  /** Closes the files. A file without a change is removed. */
  close(): void {
    const isUnused = this.#handle !== undefined && this.#size === 0
    this.#close()
    if (!isUnused) return
    this.#attempt(() => {
      this.#check()
      fs.rmSync(this.#path, { force: true })
    })
  }

  #cutBack(): void {
    if (this.#isTorn && this.#handle !== undefined) fs.ftruncateSync(this.#handle, this.#size)
    this.#isTorn = false
  }

  /** If closing fails, nothing is lost: the operating system has the data. */
  #close(): void {
    const handle = this.#handle
    this.#handle = undefined
    this.#inode = undefined
    if (handle !== undefined) this.#attempt(() => fs.closeSync(handle))
  }

  #attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#warn(`${this.#path}: ${errorMessage(error)}. Nothing is lost.`)
    }
  }
}

/** Creates a file; throws if there is one with content, or a link. An empty one, left by a failed attempt, is replaced. */
function create(path: string): number {
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  if (found?.isFile() && found.size === 0) fs.rmSync(path)
  return fs.openSync(path, 'wx+', PRIVATE)
}
