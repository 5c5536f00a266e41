/** The place of a value in its queue. */
export interface Place<T> {
  readonly value: T
  before: Place<T> | undefined
  after: Place<T> | undefined
}

/**
 * Values in the order of their arrival; each can be removed in constant time. An iterator over a Set that is kept to
 * find its first value would keep every removed value in memory.
 */
export class Queue<T> {
  #first: Place<T> | undefined
  #last: Place<T> | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get first(): T | undefined {
    return this.#first?.value
  }

  push(value: T): Place<T> {
    const place: Place<T> = { value, before: this.#last, after: undefined }
    if (this.#last) this.#last.after = place
    else this.#first = place
    this.#last = place
    this.#size++
    return place
  }

  /** Once only. */
  remove(place: Place<T>): void {
    const { before, after } = place
    if (before) before.after = after
    else this.#first = after
    if (after) after.before = before
    else this.#last = before
    place.before = undefined
    place.after = undefined
    this.#size--
  }

  *[Symbol.iterator](): IterableIterator<T> {
    for (let place = this.#first; place; place = place.after) yield place.value
  }
}
