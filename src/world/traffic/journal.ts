import type { Part } from '../part.ts'
import type { Exchange } from './exchange.ts'

/** The number of exchanges of a namespace that the journal keeps, and the kept size of each body. */
export const JOURNAL_LENGTH = 1000
export const JOURNAL_BODY_LIMIT = 16 * 1024

/** The event of the history at which the journal begins; `recorded`: the number of exchanges since. */
export interface JournalState {
  readonly since: number
  readonly recorded: number
}

/** The ended requests and control calls of a namespace, oldest first; control calls have no exchange. */
type Ended = readonly { readonly ended: number; readonly exchange: Exchange | undefined }[]

/** The last exchanges of a namespace, oldest first: a view of its history. */
export class Journal implements Part<JournalState> {
  readonly #ended: () => Ended
  #since = 0
  #recorded = 0

  constructor(ended: () => Ended) {
    this.#ended = ended
  }

  capture(): JournalState {
    return { since: this.#since, recorded: this.#recorded }
  }

  restore({ since, recorded }: JournalState): void {
    this.#since = since
    this.#recorded = recorded
  }

  /** Called after an exchange was added to the history. */
  count(): void {
    this.#recorded++
  }

  /** Clears the journal: it begins again at event `since` of the history. */
  clear(since: number): void {
    this.restore({ since, recorded: 0 })
  }

  entries(): Exchange[] {
    // A loop, because a call for all namespaces visits tens of thousands, and flatMap makes an array for each.
    const entries: Exchange[] = []
    for (const { ended, exchange } of this.#ended())
      if (exchange && ended >= this.#since) entries.push(exchange)
    return entries
  }

  /** The number of exchanges that it has dropped since it was cleared. */
  get dropped(): number {
    return this.#recorded - this.entries().length
  }
}
