/** Bytes that everything kept of requests may take together, over all namespaces. */
export const KEPT_BYTES = 64 * 1024 * 1024

/** Something that is kept of a request, and can be forgotten. */
export interface Kept {
  /** About how many bytes it holds. */
  readonly bytes: number
  forget(): void
}

/**
 * The one room for everything that is kept of requests: journals, possible duplicates, lists of reports.
 * Where there is none left, what was kept first is forgotten first, whatever the clock of its namespace says.
 */
export class Budget {
  #bytes = 0
  readonly #limit: number
  readonly #kept = new Set<Kept>()
  /** Goes on where it stopped: a new one would walk over all that is gone already. */
  #oldest = this.#kept.values()

  constructor(limit: number = KEPT_BYTES) {
    this.#limit = limit
  }

  get bytes(): number {
    return this.#bytes
  }

  keep(kept: Kept): void {
    this.#kept.add(kept)
    this.hold(kept.bytes)
  }

  /** Gives its room back; once only. */
  release(kept: Kept): void {
    if (this.#kept.delete(kept)) this.#bytes -= kept.bytes
  }

  /** Room for what is never forgotten by itself; a negative number gives it back. */
  hold(bytes: number): void {
    this.#bytes += bytes
    while (this.#bytes > this.#limit) {
      const oldest = this.#first()
      if (!oldest) return
      this.release(oldest)
      oldest.forget()
    }
  }

  #first(): Kept | undefined {
    const next = this.#oldest.next()
    if (!next.done) return next.value
    this.#oldest = this.#kept.values()
    return this.#oldest.next().value
  }
}
