/** The limit of the budget in bytes, over all namespaces. */
export const KEPT_BYTES = 64 * 1024 * 1024

/** Data about requests that the budget counts and can drop. */
export interface Kept {
  /** About how many bytes it holds. */
  bytes: number
  /** Called when the budget drops it; its bytes are no longer counted. */
  forget(): void
  /** Its neighbours by age: separate nodes would give the garbage collector more objects to move. */
  before?: Kept | undefined
  after?: Kept | undefined
}

/**
 * The memory limit for all data about requests: the history with the journal, possible duplicates, lists of reports.
 * When it is reached, the oldest data is dropped first. An item is in at most one budget, and is removed in constant time.
 */
export class Budget {
  #bytes = 0
  readonly #limit: number
  /** A Set would need an iterator to find its first item, and that iterator keeps every removed item in memory. */
  #oldest: Kept | undefined
  #newest: Kept | undefined

  constructor(limit: number = KEPT_BYTES) {
    this.#limit = limit
  }

  get bytes(): number {
    return this.#bytes
  }

  keep(kept: Kept): void {
    kept.before = this.#newest
    if (this.#newest) this.#newest.after = kept
    else this.#oldest = kept
    this.#newest = kept
    this.reserve(kept.bytes)
  }

  /** Adds `bytes` to what an item takes; a negative number subtracts. */
  grow(kept: Kept, bytes: number): void {
    kept.bytes += bytes
    this.reserve(bytes)
  }

  /** Stops counting an item, if it is counted. */
  release(kept: Kept): void {
    const { before, after } = kept
    if (!before && this.#oldest !== kept) return
    if (before) before.after = after
    else this.#oldest = after
    if (after) after.before = before
    else this.#newest = before
    kept.before = undefined
    kept.after = undefined
    this.#bytes -= kept.bytes
  }

  /** Reserves bytes for data that is never dropped; a negative number releases them. */
  reserve(bytes: number): void {
    this.#bytes += bytes
    while (this.#bytes > this.#limit && this.#oldest) {
      const oldest = this.#oldest
      this.release(oldest)
      oldest.forget()
    }
  }
}
