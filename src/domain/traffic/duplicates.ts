import { MINUTE } from '../world/instant.ts'
import type { Budget, Kept } from './budget.ts'

const REMEMBERED = 10_000

/** About how many bytes one of them takes: its mark, its entry, and where both are kept. */
const BYTES = 320

/**
 * Notices what looks like a repetition: the same key creating with an equal body, or an equal
 * Idempotency-Key, within 60 s. It remembers the last 10,000 only, as digests.
 */
export class Duplicates {
  readonly #budget: Budget
  readonly #seen = new Map<string, Seen>()
  /** Goes on where it stopped: a new one would walk over all that is gone already. */
  #oldest = this.#seen.values()

  constructor(budget: Budget) {
    this.#budget = budget
  }

  /** The id of the earlier exchange that this one may repeat. */
  note(
    id: string,
    at: number,
    key: string,
    body: string,
    idempotencyKey: string | undefined,
  ): string | undefined {
    const byBody = this.#noteOne(`body ${digest(key)} ${digest(body)}`, id, at)
    const byKey = idempotencyKey && this.#noteOne(`key ${digest(key)} ${digest(idempotencyKey)}`, id, at)
    return byKey || byBody
  }

  clear(): void {
    for (const seen of this.#seen.values()) this.#budget.release(seen)
    this.#seen.clear()
  }

  #noteOne(mark: string, id: string, at: number): string | undefined {
    const before = this.#seen.get(mark)
    if (before) this.#forget(mark, before)
    const seen: Seen = { id, at, bytes: BYTES, forget: () => this.#forget(mark, seen) }
    this.#seen.set(mark, seen)
    if (this.#seen.size > REMEMBERED) this.#first()?.forget()
    this.#budget.keep(seen)
    return before && Math.abs(at - before.at) < MINUTE ? before.id : undefined
  }

  #forget(mark: string, seen: Seen): void {
    if (this.#seen.get(mark) === seen) this.#seen.delete(mark)
    this.#budget.release(seen)
  }

  #first(): Seen | undefined {
    const next = this.#oldest.next()
    if (!next.done) return next.value
    this.#oldest = this.#seen.values()
    return this.#oldest.next().value
  }
}

interface Seen extends Kept {
  readonly id: string
  readonly at: number
}

/** Its length and 64 bits: of bodies that differ, two have the same digest once in many millions of years. */
const digest = (text: string): string => `${text.length} ${fold(text, 1)} ${fold(text, 2)}`

function fold(text: string, seed: number): number {
  let value = Math.imul(0x811c9dc5, seed)
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193 + seed * 2)
  return value
}
