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
