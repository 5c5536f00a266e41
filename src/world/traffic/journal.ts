import { Value } from '../part.ts'
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
export class Journal extends Value<JournalState> {
  readonly #ended: () => Ended

  constructor(ended: () => Ended) {
    super({ since: 0, recorded: 0 })
    this.#ended = ended
  }

  /** Called after an exchange was added to the history. */
  count(): void {
    const { since, recorded } = this.value
    this.value = { since, recorded: recorded + 1 }
  }

  /** Clears the journal: it begins again at event `since` of the history. */
  clear(since: number): void {
    this.value = { since, recorded: 0 }
  }

  entries(): Exchange[] {
    // A loop, because a call for all namespaces visits tens of thousands, and flatMap makes an array for each.
    const entries: Exchange[] = []
    const { since } = this.value
    for (const { ended, exchange } of this.#ended()) if (exchange && ended >= since) entries.push(exchange)
    return entries
  }

  /** The number of exchanges that it has dropped since it was cleared. */
  get dropped(): number {
    return this.value.recorded - this.entries().length
  }
}
