import { MINUTE } from '../world/instant.ts'
import type { Budget, Kept } from './budget.ts'
import { Queue } from './queue.ts'

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
  readonly #order = new Queue<Seen>()

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
    const byBody = this.#noteOne(markOf('body', key, body), id, at)
    const byKey = idempotencyKey && this.#noteOne(markOf('key', key, idempotencyKey), id, at)
    return byKey || byBody
  }

  clear(): void {
    while (this.#order.first) this.#order.first.forget()
  }

  #noteOne(mark: string, id: string, at: number): string | undefined {
    const before = this.#seen.get(mark)
    before?.forget()
    if (this.#order.size === REMEMBERED) this.#order.first?.forget()
    const seen: Seen = {
      id,
      at,
      bytes: BYTES,
      place: undefined,
      forget: () => {
        this.#seen.delete(mark)
        this.#order.remove(place)
        this.#budget.release(seen)
      },
    }
    this.#seen.set(mark, seen)
    const place = this.#order.push(seen)
    this.#budget.keep(seen)
    return before && Math.abs(at - before.at) < MINUTE ? before.id : undefined
  }
}

interface Seen extends Kept {
  readonly id: string
  readonly at: number
}

/** Joined, because a text of several others would keep each of them. */
const markOf = (kind: string, key: string, text: string): string =>
  [kind, ...digest(key), ...digest(text)].join(' ')

/** Its length and 64 bits: of bodies that differ, two have the same digest once in many millions of years. */
const digest = (text: string): number[] => [text.length, fold(text, 1), fold(text, 2)]

function fold(text: string, seed: number): number {
  let value = Math.imul(0x811c9dc5, seed)
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193 + seed * 2)
  return value
}
