import fs from 'node:fs'

/** One file of the change log: grows at its end, and goes back to what was committed. Made at the first write. */
export class LogFile {
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

  /** Hands text to the operating system; throws where it did not take all of it. */
  write(text: string): void {
    // Never over a file that is there: it might hold changes.
    this.#handle ??= fs.openSync(this.path, 'wx')
    const bytes = Buffer.from(text)
    let written = 0
    while (written < bytes.length) {
      const count = fs.writeSync(this.#handle, bytes, written, bytes.length - written, this.#size)
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
    if (this.#handle === undefined) return
    fs.closeSync(this.#handle)
    this.#handle = undefined
    if (this.#committed === 0) fs.rmSync(this.path, { force: true })
  }
}
