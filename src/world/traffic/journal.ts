import type { Budget, Kept, Place } from './budget.ts'
import { type Exchange, sizeOf } from './exchange.ts'
import { type Linked, Queue } from './queue.ts'

/** How many exchanges of one namespace are remembered, and how much of each body. */
export const JOURNAL_LENGTH = 1000
export const JOURNAL_BODY_LIMIT = 16 * 1024

/** The last exchanges of a namespace, oldest first. */
export class Journal {
  readonly #budget: Budget
  /** Called with each exchange that is dropped. */
  readonly #forgot: (exchange: Exchange, isFull: boolean) => void
  readonly #items = new Queue<Item>()
  #dropped = 0

  constructor(budget: Budget, forgot: (exchange: Exchange, isFull: boolean) => void = () => {}) {
    this.#budget = budget
    this.#forgot = forgot
  }

  get length(): number {
    return this.#items.size
  }

  /** The number of exchanges that it has dropped since it was cleared. */
  get dropped(): number {
    return this.#dropped
  }

  /** `more`: bytes of what is kept with it. */
  record(exchange: Exchange, more = 0): void {
    const first = this.#items.size === JOURNAL_LENGTH ? this.#items.first : undefined
    if (first) {
      this.#drop(first)
      this.#forgot(first.exchange, true)
    }
    const item = new Item(this, exchange, more)
    this.#items.push(item)
    this.#budget.keep(item)
  }

  /** Replaces an exchange, if it is still there. */
  amend(before: Exchange, exchange: Exchange): void {
    for (const item of this.#items) if (item.exchange === before) item.exchange = exchange
  }

  entries(): Exchange[] {
    const exchanges: Exchange[] = []
    for (let item = this.#items.first; item; item = item.after) exchanges.push(item.exchange)
    return exchanges
  }

  /** Replaces all exchanges; where the given ones are its first ones, only those after them are removed. */
  restore(exchanges: readonly Exchange[]): void {
    const dropped = this.#dropped
    const items = [...this.#items]
    const isStart =
      items.length >= exchanges.length && items[exchanges.length - 1]?.exchange === exchanges.at(-1)
    for (const item of isStart ? items.slice(exchanges.length) : items) this.#drop(item)
    if (!isStart) for (const exchange of exchanges) this.record(exchange)
    this.#dropped = dropped
  }

  clear(): void {
    while (this.#items.first) this.#drop(this.#items.first)
    this.#dropped = 0
  }

  /** To be called by an item that the budget removes. */
  forget(item: Item): void {
    this.#drop(item)
    this.#forgot(item.exchange, false)
  }

  #drop(item: Item): void {
    this.#items.remove(item)
    this.#dropped++
    this.#budget.release(item)
  }
}

/** Not a closure for each: those would be two more objects that the garbage collector moves. */
class Item implements Kept, Linked<Item> {
  exchange: Exchange
  readonly bytes: number
  place: Place | undefined
  before: Item | undefined
  after: Item | undefined
  readonly #journal: Journal

  constructor(journal: Journal, exchange: Exchange, more: number) {
    this.#journal = journal
    this.exchange = exchange
    this.bytes = sizeOf(exchange) + more
  }

  forget(): void {
    this.#journal.forget(this)
  }
}
