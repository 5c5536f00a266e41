import type { Change, PetTable } from '../domain/stored.ts'
import { petText } from './text.ts'

/** `fresh` begins a log that owes nothing to what was there before. */
export type LogChange = Change | { readonly op: 'fresh' }

/** Characters of pets in one line that defines a table, or a part of one. */
const LINE = 32 * 1024
/** Pets that are written out without a pause. */
const FEW_PETS = 500

/**
 * Changes as numbered lines of the log. A table is written out where it is first used, in lines of its own;
 * later changes name those lines: two hundred namespaces reset to one fixture cost its size once.
 */
export class Encoder {
  /** The number of the last line. */
  seq: number
  readonly #tables = new Map<PetTable, readonly [first: number, last: number]>()

  constructor(seq: number) {
    this.seq = seq
  }

  /** Starts over after that line: no table is known. */
  restart(seq: number): void {
    this.seq = seq
    this.#tables.clear()
  }

  /** True where the text of a change should be made with pauses. */
  isLong(change: LogChange): boolean {
    return change.op === 'replace' && change.table.pets.length > FEW_PETS && !this.#tables.has(change.table)
  }

  /** The lines of a change, each with its newline, made as they are asked for. */
  *lines(change: LogChange): Generator<string> {
    if (change.op === 'replace' && !this.#tables.has(change.table)) yield* this.#define(change.table)
    yield this.#line(change)
  }

  text(change: LogChange): string {
    return change.op === 'replace' ? [...this.lines(change)].join('') : this.#line(change)
  }

  *#define(table: PetTable): Generator<string> {
    const first = this.seq + 1
    let pets = ''
    for (const pet of table.pets) {
      pets += `${pets === '' ? '' : ','}${petText(pet)}`
      if (pets.length < LINE) continue
      yield this.#tableLine(pets)
      pets = ''
    }
    if (pets !== '' || this.seq < first) yield this.#tableLine(pets)
    this.#tables.set(table, [first, this.seq])
  }

  #tableLine = (pets: string): string => `{"seq":${++this.seq},"op":"table","pets":[${pets}]}\n`

  #line(change: LogChange): string {
    const seq = `{"seq":${++this.seq},`
    if (change.op === 'fresh') return `${seq}"op":"fresh"}\n`
    const start = `${seq}"namespace":${JSON.stringify(change.namespace)},"op":"${change.op}"`
    if (change.op === 'create') return `${start},"shelf":"${change.shelf}","pet":${change.json}}\n`
    if (change.op === 'keys') return `${start},"keys":${JSON.stringify(change.keys)}}\n`
    if (change.op === 'drop') return `${start}}\n`
    const lines = JSON.stringify(this.#tables.get(change.table))
    const keys = change.keys ? `,"keys":${JSON.stringify(change.keys)}` : ''
    return `${start},"shelf":"${change.shelf}","table":${lines},"nextId":${change.table.nextId}${keys}}\n`
  }
}
