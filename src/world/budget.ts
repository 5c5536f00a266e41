import { type Linked, Queue } from './queue.ts'

/** The limit of the budget in bytes, over all namespaces. */
export const KEPT_BYTES = 64 * 1024 * 1024

/** Data about requests that the budget counts and can drop. */
export interface Kept extends Linked<Kept> {
  /** About how many bytes it holds. */
  bytes: number
  /** Called when the budget drops it; its bytes are no longer counted. */
  forget(): void
}

/**
 * The memory limit for all data about requests: the history with the journal, possible duplicates, lists of reports.
 * When it is reached, the oldest data is dropped first.
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
    this.reserve(kept.bytes)
  }

  /** Adds `bytes` to what an item takes; a negative number subtracts. */
  grow(kept: Kept, bytes: number): void {
    kept.bytes += bytes
    this.reserve(bytes)
  }

  /** Stops counting an item, if it is counted. */
  release(kept: Kept): void {
    if (this.#kept.remove(kept)) this.#bytes -= kept.bytes
  }

  /** Reserves bytes for data that is never dropped; a negative number releases them. */
  reserve(bytes: number): void {
    this.#bytes += bytes
    while (this.#bytes > this.#limit) {
      const oldest = this.#kept.first
      if (!oldest) return
      this.release(oldest)
      oldest.forget()
    }
  }
}
