import { MINUTE } from '../../time/instant.ts'
import type { Budget, Kept, Place } from './budget.ts'
import { type Linked, Queue } from './queue.ts'

const REMEMBERED = 10_000

/** The approximate size of one of them in bytes. */
const BYTES = 448

/**
 * Finds possible repetitions: the same key creating with an equal body, or an equal
 * Idempotency-Key, within 60 s. It remembers the last 10,000 only, with digests of their texts.
 */
export class Duplicates {
  /** Called with what was there before each note. */
  changed: (mark: string, before: Note | undefined, gone: readonly [string, Note] | undefined) => void =
    () => {}
  readonly #budget: Budget
  readonly #seen = new Map<string, Seen>()
  readonly #order = new Queue<Seen>()
  #noted = 0

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

  /** All notes, by mark. */
  notes(): Map<string, Note> {
    return new Map(this.#seen)
  }

  /** Other notes in their place, in the order in which they were made. */
  restore(notes: ReadonlyMap<string, Note>): void {
    this.clear()
    for (const [mark, { id, at, order }] of [...notes].sort(([, a], [, b]) => a.order - b.order)) {
      this.#keep(mark, id, at, order)
      this.#noted = order
    }
  }

  clear(): void {
    while (this.#order.first) this.#order.first.forget()
  }

  /** To be called by a note that leaves. */
  remove(seen: Seen): void {
    if (!this.#order.remove(seen)) return
    this.#seen.delete(seen.mark)
    this.#budget.release(seen)
  }

  #noteOne(mark: string, id: string, at: number): string | undefined {
    const before = this.#seen.get(mark)
    before?.forget()
    const first = this.#order.size === REMEMBERED ? this.#order.first : undefined
    first?.forget()
    this.#keep(mark, id, at, ++this.#noted)
    this.changed(mark, before, first && [first.mark, first])
    return before && Math.abs(at - before.at) < MINUTE ? before.id : undefined
  }

  #keep(mark: string, id: string, at: number, order: number): void {
    const seen = new Seen(this, mark, id, at, order)
    this.#seen.set(mark, seen)
    this.#order.push(seen)
    this.#budget.keep(seen)
  }
}

/** The exchange that made a mark. */
export interface Note {
  readonly id: string
  readonly at: number
  readonly order: number
}

class Seen implements Kept, Note, Linked<Seen> {
  readonly mark: string
  readonly id: string
  readonly at: number
  readonly order: number
  readonly bytes = BYTES
  place: Place | undefined
  before: Seen | undefined
  after: Seen | undefined
  readonly #owner: Duplicates

  constructor(owner: Duplicates, mark: string, id: string, at: number, order: number) {
    this.#owner = owner
    this.mark = mark
    this.id = id
    this.at = at
    this.order = order
  }

  forget(): void {
    this.#owner.remove(this)
  }
}

/** Joined, because a text of several others would keep each of them. */
const markOf = (kind: string, key: string, text: string): string => [kind, key, ...digest(text)].join(' ')

/** The same mark of another key. */
export function markWithKey(mark: string, keyOf: (key: string) => string): string {
  const [kind = '', key = '', ...rest] = mark.split(' ')
  return [kind, keyOf(key), ...rest].join(' ')
}

/** Its length and 64 bits, so that a collision of different bodies is very unlikely. */
const digest = (text: string): number[] => [text.length, fold(text, 1), fold(text, 2)]

function fold(text: string, seed: number): number {
  let value = Math.imul(0x811c9dc5, seed)
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193 + seed * 2)
  return value
}
