import type { Budget, Kept } from './budget.ts'
import { type Exchange, sizeOf } from './exchange.ts'
import { type Place, Queue } from './queue.ts'

/** How many exchanges of one namespace are remembered, and how much of each body. */
export const JOURNAL_LENGTH = 1000
export const JOURNAL_BODY_LIMIT = 16 * 1024

/** The last exchanges of a namespace, oldest first. */
export class Journal {
  readonly #budget: Budget
  readonly #items = new Queue<Item>()
  #dropped = 0

  constructor(budget: Budget) {
    this.#budget = budget
  }

  get length(): number {
    return this.#items.size
  }

  /** How many exchanges it had to forget since it was cleared. */
  get dropped(): number {
    return this.#dropped
  }

  record(exchange: Exchange): void {
    if (this.#items.size === JOURNAL_LENGTH) this.#items.first?.forget()
    const item: Item = new Item(exchange, () => this.#forget(place))
    const place = this.#items.push(item)
    this.#budget.keep(item)
  }

  /** Puts an exchange in the place of one that turned out otherwise, if that is still there. */
  amend(before: Exchange, exchange: Exchange): void {
    for (const item of this.#items) if (item.exchange === before) item.exchange = exchange
  }

  entries(): Exchange[] {
    return Array.from(this.#items, ({ exchange }) => exchange)
  }

  clear(): void {
    while (this.#items.first) this.#items.first.forget()
    this.#dropped = 0
  }

  #forget(place: Place<Item>): void {
    this.#items.remove(place)
    this.#dropped++
    this.#budget.release(place.value)
  }
}

class Item implements Kept {
  exchange: Exchange
  readonly bytes: number
  readonly forget: () => void
  place: Place<Kept> | undefined

  constructor(exchange: Exchange, forget: () => void) {
    this.exchange = exchange
    this.bytes = sizeOf(exchange)
    this.forget = forget
  }
}
