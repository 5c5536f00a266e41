/** The last items that came, oldest first: adding one costs the same however many there are. */
export class Ring<Item> {
  readonly #items: (Item | undefined)[]
  #first = 0
  #count = 0

  constructor(capacity: number) {
    this.#items = new Array(capacity)
  }

  get length(): number {
    return this.#count
  }

  push(item: Item): void {
    const capacity = this.#items.length
    this.#items[(this.#first + this.#count) % capacity] = item
    if (this.#count === capacity) this.#first = (this.#first + 1) % capacity
    else this.#count++
  }

  /** Puts another item in place of the newest. */
  replaceLast(item: Item): void {
    this.#items[(this.#first + this.#count - 1) % this.#items.length] = item
  }

  clear(): void {
    this.#items.fill(undefined)
    this.#first = this.#count = 0
  }

  /** 0 is the oldest. */
  at(index: number): Item | undefined {
    return index < 0 || index >= this.#count
      ? undefined
      : this.#items[(this.#first + index) % this.#items.length]
  }

  /** Newest first, those that `keep` holds for, at most `limit`. */
  newest(limit: number, keep: (item: Item) => boolean = () => true): Item[] {
    const found: Item[] = []
    for (let index = this.#count - 1; index >= 0 && found.length < limit; index--) {
      const item = this.at(index) as Item
      if (keep(item)) found.push(item)
    }
    return found
  }
}
