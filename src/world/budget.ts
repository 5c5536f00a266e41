import { type Linked, Queue } from './queue.ts'

/** Bytes that everything kept of requests may take together, over all namespaces. */
export const KEPT_BYTES = 64 * 1024 * 1024

/** Something that is kept of requests, and can be forgotten. */
export interface Kept extends Linked<Kept> {
  /** About how many bytes it holds. */
  bytes: number
  /** It is not counted any more. */
  forget(): void
}

/**
 * The memory for everything that is kept of requests: the past with the journal, possible duplicates, lists of reports.
 * When it is full, the oldest of it is forgotten first.
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
    this.#kept.push(kept)
    this.hold(kept.bytes)
  }

  /** It takes so many bytes more; a negative number: fewer. */
  grow(kept: Kept, bytes: number): void {
    kept.bytes += bytes
    this.hold(bytes)
  }

  /** Releases its memory, where it has any. */
  release(kept: Kept): void {
    if (this.#kept.remove(kept)) this.#bytes -= kept.bytes
  }

  /** Reserves bytes for what is not forgotten piece by piece; a negative number releases them. */
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
