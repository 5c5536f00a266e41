import type { Writable } from 'node:stream'
import { MAX_BACKLOG } from '../../web/streams.ts'

interface Waiting {
  bytes: number
  /** Undefined once the stream was cut off. */
  cutOff: (() => void) | undefined
}

/** Counts the data buffered for slow readers; beyond the bound, the stream with the most is cut off. */
class Backlog {
  readonly #waiting = new Map<Writable, Waiting>()
  #bytes = 0

  /** To be called when `writableLength` changed. */
  count(out: Writable, cutOff: () => void): void {
    const entry = this.#waiting.get(out) ?? { bytes: 0, cutOff }
    const bytes = out.writableLength
    this.#bytes += bytes - entry.bytes
    entry.bytes = bytes
    if (bytes > 0) this.#waiting.set(out, entry)
    else this.#waiting.delete(out)
    if (this.#bytes > MAX_BACKLOG) this.#cutOffLongest()
  }

  forget(out: Writable): void {
    this.#bytes -= this.#waiting.get(out)?.bytes ?? 0
    this.#waiting.delete(out)
  }

  #cutOffLongest(): void {
    let longest: Waiting | undefined
    for (const entry of this.#waiting.values())
      if (entry.cutOff && entry.bytes > (longest?.bytes ?? 0)) longest = entry
    const cutOff = longest?.cutOff
    if (longest) longest.cutOff = undefined
    cutOff?.()
  }
}

/** Shared by all servers of this process, because they share its memory. */
export const backlog = new Backlog()
