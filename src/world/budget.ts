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

/** The links are in the items themselves: separate nodes would give the garbage collector more objects to move. */
export interface Linked<T> {
  before?: T | undefined
  after?: T | undefined
}

/**
 * Items in the order of their arrival; each can be removed in constant time. A Set would need an iterator to find its
 * first item, and that iterator keeps every removed item in memory.
 */
export class Queue<T extends Linked<T>> {
  #first: T | undefined
  #last: T | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get first(): T | undefined {
    return this.#first
  }

  /** An item is in at most one queue of its type. */
  push(value: T): void {
    value.before = this.#last
    if (this.#last) this.#last.after = value
    else this.#first = value
    this.#last = value
    this.#size++
  }

  /** Returns whether the item was in the queue. */
  remove(value: T): boolean {
    const { before, after } = value
    if (!before && this.#first !== value) return false
    if (before) before.after = after
    else this.#first = after
    if (after) after.before = before
    else this.#last = before
    value.before = undefined
    value.after = undefined
    this.#size--
    return true
  }

  *[Symbol.iterator](): IterableIterator<T> {
    for (let value = this.#first; value; value = value.after) yield value
  }
}
