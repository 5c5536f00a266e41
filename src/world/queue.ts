/** The items of a queue carry its links: separate nodes would give the garbage collector more objects to move. */
export interface Linked<T> {
  before?: T | undefined
  after?: T | undefined
}

/**
 * Values in the order of their arrival; each can be removed in constant time. An iterator over a Set that is kept to
 * find its first value would keep every removed value in memory.
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

  /** A value is in one queue of its kind at most. */
  push(value: T): void {
    value.before = this.#last
    if (this.#last) this.#last.after = value
    else this.#first = value
    this.#last = value
    this.#size++
  }

  /** Returns whether it was there. */
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
