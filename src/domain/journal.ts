import type { Exchange } from './exchange.ts'

/** Bounds of what is remembered: exchanges of one namespace, and bytes of all together. */
export const JOURNAL_LENGTH = 1000
export const JOURNAL_BYTES = 64 * 1024 * 1024
export const BODY_LIMIT = 16 * 1024

/** The room that all journals share. */
export class JournalBudget {
  #bytes = 0
  readonly #limit: number
  readonly #journals: () => Iterable<Journal>

  constructor(journals: () => Iterable<Journal>, limit: number = JOURNAL_BYTES) {
    this.#journals = journals
    this.#limit = limit
  }

  /** Takes or gives back room; where there is none left, the oldest exchanges of all go. */
  take(bytes: number): void {
    this.#bytes += bytes
    while (this.#bytes > this.#limit) {
      const oldest = oldestOf(this.#journals())
      if (!oldest) return
      oldest.dropFirst()
    }
  }
}

/** The last exchanges of a namespace, oldest first: a ring, so that recording costs the same however full it is. */
export class Journal {
  readonly #budget: JournalBudget
  readonly #ring: (Exchange | undefined)[] = []
  #first = 0
  #count = 0
  #dropped = 0

  constructor(budget: JournalBudget) {
    this.#budget = budget
  }

  /** How many exchanges it had to forget since it was cleared. */
  get dropped(): number {
    return this.#dropped
  }

  get oldest(): Exchange | undefined {
    return this.#count > 0 ? this.#ring[this.#first] : undefined
  }

  record(exchange: Exchange): void {
    if (this.#count === JOURNAL_LENGTH) this.dropFirst()
    this.#ring[(this.#first + this.#count) % JOURNAL_LENGTH] = exchange
    this.#count++
    this.#budget.take(sizeOf(exchange))
  }

  entries(): Exchange[] {
    return Array.from(
      { length: this.#count },
      (_, i) => this.#ring[(this.#first + i) % JOURNAL_LENGTH] as Exchange,
    )
  }

  clear(): void {
    while (this.#count > 0) this.dropFirst()
    this.#dropped = 0
  }

  dropFirst(): void {
    const exchange = this.oldest
    if (!exchange) return
    this.#ring[this.#first] = undefined
    this.#first = (this.#first + 1) % JOURNAL_LENGTH
    this.#count--
    this.#dropped++
    this.#budget.take(-sizeOf(exchange))
  }
}

/** About how many bytes an exchange holds: its bodies, and a flat sum for everything else. */
const sizeOf = ({ request, response }: Exchange): number => 2048 + request.body.length + response.body.length

function oldestOf(journals: Iterable<Journal>): Journal | undefined {
  let oldest: Journal | undefined
  for (const journal of journals) {
    const at = journal.oldest?.at
    if (at !== undefined && at < (oldest?.oldest?.at ?? Infinity)) oldest = journal
  }
  return oldest
}
