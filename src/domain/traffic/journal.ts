import type { Budget, Kept } from './budget.ts'
import { type Exchange, sizeOf } from './exchange.ts'

/** How many exchanges of one namespace are remembered, and how much of each body. */
export const JOURNAL_LENGTH = 1000
export const JOURNAL_BODY_LIMIT = 16 * 1024

/** The last exchanges of a namespace, oldest first: a ring, so that recording costs the same however full it is. */
export class Journal {
  readonly #budget: Budget
  readonly #ring: (Item | undefined)[] = []
  #first = 0
  #count = 0
  #dropped = 0

  constructor(budget: Budget) {
    this.#budget = budget
  }

  get length(): number {
    return this.#count
  }

  /** How many exchanges it had to forget since it was cleared. */
  get dropped(): number {
    return this.#dropped
  }

  record(exchange: Exchange): void {
    if (this.#count === JOURNAL_LENGTH) this.dropFirst()
    const item = new Item(exchange, this)
    this.#ring[(this.#first + this.#count) % JOURNAL_LENGTH] = item
    this.#count++
    this.#budget.keep(item)
  }

  /** Puts an exchange in the place of one that turned out otherwise, if that is still there. */
  amend(before: Exchange, exchange: Exchange): void {
    const item = this.#ring.findLast((each) => each?.exchange === before)
    if (item) item.exchange = exchange
  }

  entries(): Exchange[] {
    return Array.from(
      { length: this.#count },
      (_, i) => (this.#ring[(this.#first + i) % JOURNAL_LENGTH] as Item).exchange,
    )
  }

  clear(): void {
    while (this.#count > 0) this.dropFirst()
    this.#dropped = 0
  }

  dropFirst(): void {
    const item = this.#ring[this.#first]
    if (!item) return
    this.#ring[this.#first] = undefined
    this.#first = (this.#first + 1) % JOURNAL_LENGTH
    this.#count--
    this.#dropped++
    this.#budget.release(item)
  }
}

class Item implements Kept {
  exchange: Exchange
  readonly bytes: number
  readonly #journal: Journal

  constructor(exchange: Exchange, journal: Journal) {
    this.exchange = exchange
    this.bytes = sizeOf(exchange)
    this.#journal = journal
  }

  /** What the budget forgets first is the first of its journal too: both keep the order of arrival. */
  forget(): void {
    this.#journal.dropFirst()
  }
}
