import { type Linked, Queue } from './queue.ts'

/** Bytes that everything kept of requests may take together, over all namespaces. */
export const KEPT_BYTES = 64 * 1024 * 1024

/** Something that is kept of a request, and can be forgotten. */
export interface Kept {
  /** About how many bytes it holds. */
  readonly bytes: number
  /** Set by its budget as long as it is counted there. */
  place?: Place | undefined
  forget(): void
}

/** Where something stands in a budget. */
export class Place implements Linked<Place> {
  before: Place | undefined
  after: Place | undefined
  readonly kept: Kept

  constructor(kept: Kept) {
    this.kept = kept
  }
}

/**
 * The memory for everything that is kept of requests: journals, possible duplicates, lists of reports. When it is
 * full, the oldest entries are removed first, in order of arrival.
 */
export class Budget {
  #bytes = 0
  readonly #limit: number
  readonly #kept = new Queue<Place>()

  constructor(limit: number = KEPT_BYTES) {
    this.#limit = limit
  }

  get bytes(): number {
    return this.#bytes
  }

  keep(kept: Kept): void {
    kept.place = new Place(kept)
    this.#kept.push(kept.place)
    this.hold(kept.bytes)
  }

  /** Releases its memory, where it has any. */
  release(kept: Kept): void {
    if (!kept.place) return
    this.#kept.remove(kept.place)
    kept.place = undefined
    this.#bytes -= kept.bytes
  }

  /** Reserves bytes for what is not removed entry by entry; a negative number releases them. */
  hold(bytes: number): void {
    this.#bytes += bytes
    while (this.#bytes > this.#limit) {
      const oldest = this.#kept.first?.kept
      if (!oldest) return
      this.release(oldest)
      oldest.forget()
    }
  }
}
