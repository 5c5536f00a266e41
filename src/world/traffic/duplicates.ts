import { MINUTE } from '../../time/instant.ts'
import type { Budget, Kept } from '../budget.ts'
import type { Part } from '../part.ts'

const REMEMBERED = 12_000

/** The approximate size of one of them in bytes. */
const BYTES = 448

/** The notes until an instant: the first `length` of a list to which more may have been added. */
export interface Noted {
  readonly notes: readonly Note[]
  readonly length: number
}

/**
 * Finds possible repetitions: the same key creating with an equal body, or an equal
 * Idempotency-Key, within 60 s. It remembers the last 12,000 only, with digests of their texts.
 */
export class Duplicates implements Part<Noted> {
  readonly #budget: Budget
  /** The oldest first; it only grows, until another list takes its place. */
  #notes: Note[] = []
  /** Those before it are forgotten. */
  #first = 0
  /** The last note of each mark; undefined until one is needed. */
  #byMark: Map<string, Note> | undefined

  constructor(budget: Budget) {
    this.#budget = budget
  }

  /** The id of the earlier exchange that this one may repeat. */
  note(
    id: string,
    at: number,
    key: string,
    body: Uint8Array,
    idempotencyKey: string | undefined,
  ): string | undefined {
    const byBody = this.#noteOne(markOf('body', key, body), id, at)
    const byKey = idempotencyKey && this.#noteOne(markOf('key', key, utf8.encode(idempotencyKey)), id, at)
    return byKey || byBody
  }

  capture(): Noted {
    return { notes: this.#notes, length: this.#notes.length }
  }

  restore({ notes, length }: Noted): void {
    this.#notes = notes.slice(0, length)
    for (const note of this.#notes) this.#keep(note)
    this.#first = 0
    this.#byMark = undefined
  }

  /** As at the start; what was noted can be restored. */
  reset(): void {
    this.restore({ notes: [], length: 0 })
  }

  /** Forgets all, and gives its memory back. */
  clear(): void {
    for (const note of this.#notes) this.#forget(note)
    this.reset()
  }

  #noteOne(mark: string, id: string, at: number): string | undefined {
    this.#byMark ??= new Map(this.#notes.map((note) => [note.mark, note]))
    const before = this.#byMark.get(mark)
    // The mark of the earlier note, so that equal ones are kept once.
    const note = new Note(before?.mark ?? mark, id, at)
    this.#notes.push(note)
    this.#byMark.set(note.mark, note)
    this.#keep(note)
    this.#dropOld(this.#byMark)
    return before && !before.isForgotten && Math.abs(at - before.at) < MINUTE ? before.id : undefined
  }

  #dropOld(byMark: Map<string, Note>): void {
    for (;;) {
      const oldest = this.#notes[this.#first]
      if (!oldest || (!oldest.isForgotten && this.#notes.length - this.#first <= REMEMBERED)) break
      if (byMark.get(oldest.mark) === oldest) byMark.delete(oldest.mark)
      this.#forget(oldest)
      this.#first++
    }
    if (this.#first < REMEMBERED) return
    this.#notes = this.#notes.slice(this.#first)
    this.#first = 0
  }

  #keep(note: Note): void {
    if (note.isKept) return
    note.isKept = true
    this.#budget.keep(note)
  }

  #forget(note: Note): void {
    this.#budget.release(note)
    note.forget()
  }
}

/** An exchange that made a mark. */
export class Note implements Kept {
  readonly mark: string
  readonly id: string
  readonly at: number
  /** Whether a budget counts it, or did so. */
  isKept = false
  isForgotten = false
  bytes = BYTES
  before: Kept | undefined
  after: Kept | undefined

  constructor(mark: string, id: string, at: number) {
    this.mark = mark
    this.id = id
    this.at = at
  }

  forget(): void {
    this.isForgotten = true
  }
}

/** Joined, because a text of several others would keep each of them. */
const markOf = (kind: string, key: string, bytes: Uint8Array): string =>
  [kind, key, bytes.length, ...digestsOf(bytes)].join(' ')

const utf8 = new TextEncoder()

/** The same mark of another key. */
export function markWithKey(mark: string, keyOf: (key: string) => string): string {
  const [kind = '', key = '', ...rest] = mark.split(' ')
  return [kind, keyOf(key), ...rest].join(' ')
}

/** With the length, a collision of two different bodies is very unlikely. */
function digestsOf(bytes: Uint8Array): [number, number] {
  let one = FNV_OFFSET
  let other = Math.imul(FNV_OFFSET, 2)
  for (const byte of bytes) {
    one = Math.imul(one ^ byte, FNV_PRIME + 2)
    other = Math.imul(other ^ byte, FNV_PRIME + 4)
  }
  return [one, other]
}

/** Of FNV-1a, 32 bits. */
const FNV_OFFSET = 0x811c9dc5 | 0
const FNV_PRIME = 0x01000193
