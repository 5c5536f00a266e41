import { type Place, Queue } from './queue.ts'

/** Bytes that everything kept of requests may take together, over all namespaces. */
export const KEPT_BYTES = 64 * 1024 * 1024

/** Something that is kept of a request, and can be forgotten. */
export interface Kept {
  /** About how many bytes it holds. */
  readonly bytes: number
  /** Set by its budget for as long as it holds room there. */
  place?: Place<Kept> | undefined
  forget(): void
}

/**
 * The one room for everything that is kept of requests: journals, possible duplicates, lists of reports.
 * Where there is none left, what was kept first is forgotten first, whatever the clock of its namespace says.
 */
export class Budget {
  #bytes = 0
  readonly #limit: number
  readonly #kept = new Queue<Kept>()

  constructor(limit: number = KEPT_BYTES) {
    this.#limit = limit
  }

  get bytes(): number {
    return this.#bytes
  }

  keep(kept: Kept): void {
    kept.place = this.#kept.push(kept)
    this.hold(kept.bytes)
  }

  /** Gives its room back, where it holds any. */
  release(kept: Kept): void {
    if (!kept.place) return
    this.#kept.remove(kept.place)
    kept.place = undefined
    this.#bytes -= kept.bytes
  }

  /** Room for what is never forgotten by itself; a negative number gives it back. */
  hold(bytes: number): void {
    this.#bytes += bytes
    while (this.#bytes > this.#limit) {
      const oldest = this.#kept.first
      if (!oldest) return
      this.release(oldest)
      oldest.forget()
    }
  }
}
