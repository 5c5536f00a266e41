import fs from 'node:fs'
import { LogFile } from './log-file.ts'

/** The files of the change log: the one that grows, and older ones that the data file does not hold yet. */
export class LogFiles {
  readonly #pathOf: (base: number) => string
  #current: LogFile
  #older: readonly string[]
  #olderSize: number

  /** `pathOf` tells where the file goes that begins after the change with that number. */
  constructor(pathOf: (base: number) => string, seq: number, older: readonly string[]) {
    this.#pathOf = pathOf
    this.#current = new LogFile(pathOf(seq))
    this.#older = older
    this.#olderSize = sizeOf(older)
  }

  get current(): LogFile {
    return this.#current
  }

  /** Bytes of all of them. */
  get size(): number {
    return this.#olderSize + this.#current.size
  }

  /** Begins a new file after the change with that number, unless the present one is empty; returns all before it. */
  roll(seq: number): readonly string[] {
    if (this.#current.size > 0) {
      this.#current.close()
      this.#older = [...this.#older, this.#current.path]
      this.#olderSize += this.#current.size
      this.#current = new LogFile(this.#pathOf(seq))
    }
    return this.#older
  }

  /** The data file holds what these say. Oldest first, so that whatever a crash leaves is without a gap. */
  async forget(older: readonly string[]): Promise<void> {
    for (const path of older) await fs.promises.rm(path, { force: true })
    this.#older = this.#older.filter((path) => !older.includes(path))
    this.#olderSize = sizeOf(this.#older)
  }
}

const sizeOf = (paths: readonly string[]): number =>
  paths.reduce((sum, path) => sum + fs.statSync(path).size, 0)
