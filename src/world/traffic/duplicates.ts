import { encodeUtf8 } from '../../text/utf8.ts'
import { MINUTE } from '../../time/instant.ts'
import type { Budget, Kept } from '../budget.ts'
import type { Part } from '../part.ts'

const REMEMBERED = 12_000

/** The approximate size of a note in bytes. */
const NOTE_BYTES = 448

/** The notes at one instant: the first `length` items of `notes`, to which later ones may have been added. */
export interface Noted {
  readonly notes: readonly Pick<Note, 'mark' | 'id' | 'at' | 'isForgotten'>[]
  readonly length: number
}

/**
 * Finds possible duplicates: a key creates pets with an equal body, or an equal Idempotency-Key, within 60 s. It
 * remembers the last 12,000 bodies and Idempotency-Keys, as digests.
 */
export class Duplicates implements Part<Noted> {
  readonly #budget: Budget
  /** Oldest first. Items are only added, until another list replaces this one. */
  #notes: Note[] = []
  /** The index of the first note that was not dropped. */
  #first = 0
  /** The last note of each mark; undefined until it is needed. */
  #byMark: Map<string, Note> | undefined

  constructor(budget: Budget) {
    this.#budget = budget
  }

  /** Returns the id of the earlier exchange of which this one may be a duplicate. */
  note(id: string, at: number, key: string, body: Uint8Array, idempotencyKey?: string): string | undefined {
    const byBody = this.#noteMark(markOf('body', key, body), id, at)
    const byKey = idempotencyKey && this.#noteMark(markOf('key', key, encodeUtf8(idempotencyKey)), id, at)
    return byKey || byBody
  }

  /** The pet of this exchange was not stored: a request that creates it again is not a duplicate. */
  withdraw(id: string): void {
    for (const note of this.#notes) if (note.id === id) this.#forget(note)
    this.#byMark = undefined
  }

  capture(): Noted {
    return { notes: this.#notes, length: this.#notes.length }
  }

  /** A note of another world is copied, because each world counts and forgets its own. */
  restore({ notes, length }: Noted): void {
    const restored = notes.slice(0, length).filter(({ isForgotten }) => !isForgotten)
    const own: Note[] = []
    for (const note of this.#notes)
      if (isSame(note, restored[own.length])) own.push(note)
      else this.#budget.release(note)
    this.#notes = [...own, ...restored.slice(own.length).map((note) => this.#keep(note))]
    this.#first = 0
    this.#byMark = undefined
  }

  /** Forgets all notes; a captured state can restore them. */
  reset(): void {
    this.restore({ notes: [], length: 0 })
  }

  #noteMark(mark: string, id: string, at: number): string | undefined {
    this.#byMark ??= new Map(
      this.#notes.filter(({ isForgotten }) => !isForgotten).map((note) => [note.mark, note]),
    )
    const before = this.#byMark.get(mark)
    // Reuses the mark of the earlier note: equal texts are stored once.
    const note = this.#keep({ mark: before?.mark ?? mark, id, at })
    this.#notes.push(note)
    this.#byMark.set(note.mark, note)
    this.dropOld()
    return before && !before.isForgotten && Math.abs(at - before.at) < MINUTE ? before.id : undefined
  }

  /** Drops the oldest notes, if they are forgotten or too many. */
  dropOld(): void {
    for (;;) {
      const oldest = this.#notes[this.#first]
      if (!oldest || (!oldest.isForgotten && this.#notes.length - this.#first <= REMEMBERED)) break
      if (this.#byMark?.get(oldest.mark) === oldest) this.#byMark.delete(oldest.mark)
      this.#forget(oldest)
      this.#first++
    }
    if (2 * this.#first <= this.#notes.length) return
    this.#notes = this.#notes.slice(this.#first)
    this.#first = 0
  }

  #keep({ mark, id, at }: Pick<Note, 'mark' | 'id' | 'at'>): Note {
    const note = new Note(mark, id, at, this)
    this.#budget.keep(note)
    return note
  }

  #forget(note: Note): void {
    this.#budget.release(note)
    note.isForgotten = true
  }
}

/** An exchange and its mark. */
class Note implements Kept {
  readonly mark: string
  readonly id: string
  readonly at: number
  readonly #keeper: Duplicates
  isForgotten = false
  bytes = NOTE_BYTES
  before: Kept | undefined
  after: Kept | undefined

  constructor(mark: string, id: string, at: number, keeper: Duplicates) {
    this.mark = mark
    this.id = id
    this.at = at
    this.#keeper = keeper
  }

  forget(): void {
    this.isForgotten = true
    // The budget no longer counts it, so it leaves memory now, not when its namespace creates another pet.
    this.#keeper.dropOld()
  }
}

/** Ids can repeat after a rewind. */
const isSame = (note: Note, other: Noted['notes'][number] | undefined): boolean =>
  other?.mark === note.mark && other.id === note.id && other.at === note.at

/** `join` makes a new text; a concatenation would keep its parts in memory. */
const markOf = (kind: string, key: string, bytes: Uint8Array): string =>
  [kind, key, bytes.length, ...digestsOf(bytes)].join(' ')

/** The mark of the same request with another key. */
export function markWithKey(mark: string, keyOf: (key: string) => string): string {
  const [kind = '', key = '', ...rest] = mark.split(' ')
  return [kind, keyOf(key), ...rest].join(' ')
}

/** Two different bodies of one length with equal digests are very unlikely. */
function digestsOf(bytes: Uint8Array): [number, number] {
  let first = FNV_OFFSET
  let second = Math.imul(FNV_OFFSET, 2)
  for (const byte of bytes) {
    first = Math.imul(first ^ byte, FNV_PRIME + 2)
    second = Math.imul(second ^ byte, FNV_PRIME + 4)
  }
  return [first, second]
}

/** The start value of FNV-1a, 32 bits. */
const FNV_OFFSET = 0x811c9dc5 | 0
const FNV_PRIME = 0x01000193
