import { crc32 } from 'node:zlib'
import { recordText } from '../../contract/openapi/record-shape.ts'
import type { PetTable } from '../../world/pets/collection.ts'
import type { Change, CollectionBack } from '../../world/stored.ts'
import { type Position, sealed } from './log-chain.ts'

/** The characters of pets in one line of a table. */
const LINE = 32 * 1024
/** The most pets that are serialised in one slice. */
const FEW_PETS = 500

/**
 * Changes as numbered lines of the log. A table is written before the first change that uses it, in its own lines;
 * later changes name these lines. So a reset of two hundred namespaces to one fixture writes the fixture once.
 */
export class LogEncoder {
  #seq: number
  #mark: number
  readonly #tables = new Map<PetTable, readonly [first: number, last: number]>()

  constructor({ seq, mark }: Position) {
    this.#seq = seq
    this.#mark = mark
  }

  /** The position after the last line. */
  get position(): Position {
    return { seq: this.#seq, mark: this.#mark }
  }

  /** Continues from another position, without known tables. */
  restart({ seq, mark }: Position): void {
    this.#seq = seq
    this.#mark = mark
    this.#tables.clear()
  }

  /** True if a table should be written in slices before the change that names it. */
  isLarge(table: PetTable): boolean {
    return table.pets.length > FEW_PETS && !this.#tables.has(table)
  }

  /** The lines of a change, after the lines of the tables that it names and that are not written yet. */
  text(change: Change): string {
    let definitions = ''
    for (const table of tablesOf(change)) {
      if (!this.#tables.has(table)) definitions += [...this.define(table)].join('')
    }
    return definitions + this.#line(this.#textOf(change))
  }

  /** The lines of a table, one by one; other lines may come between them. */
  *define(table: PetTable): Generator<string> {
    const first = this.#seq + 1
    let last = 0
    let pets = ''
    const line = () => {
      const text = this.#line(`"op":"table","of":${first},"pets":[${pets}]`)
      last = this.#seq
      pets = ''
      return text
    }
    // The number of the first line was taken before other lines can come between.
    for (const pet of table.pets) {
      pets += `${pets === '' ? '' : ','}${recordText(pet)}`
      if (pets.length >= LINE) yield line()
    }
    if (pets !== '' || last === 0) yield line()
    this.#tables.set(table, [first, last])
  }

  #line(members: string): string {
    const body = `{"seq":${++this.#seq},${members}`
    this.#mark = crc32(body, this.#mark)
    return sealed(body, this.#mark)
  }

  #textOf(change: Change): string {
    const start = `"namespace":${JSON.stringify(change.namespace)},"op":"${change.op}"`
    if (change.op === 'create' || change.op === 'update')
      return `${start},"shelf":"${change.collection}","pet":${change.json}`
    if (change.op === 'delete') return `${start},"shelf":"${change.collection}","id":${change.id}`
    if (change.op === 'keys') return `${start},"keys":${JSON.stringify(change.keys)}`
    if (change.op === 'drop') return `${start},"at":${Date.now()}`
    const keys = change.keys ? `,"keys":${JSON.stringify(change.keys)}` : ''
    if (change.op === 'rewind') {
      const backs = Object.entries(change.collections).map(
        ([name, back]) => `,"${name}":${this.#backText(back)}`,
      )
      return `${start}${backs.join('')}${keys}`
    }
    const lines = JSON.stringify(this.#tables.get(change.table))
    return `${start},"shelf":"${change.collection}","table":${lines},"nextId":${change.table.nextId}${keys}`
  }

  #backText(back: CollectionBack): string {
    if ('table' in back) {
      return `{"table":${JSON.stringify(this.#tables.get(back.table))},"nextId":${back.table.nextId}}`
    }
    return `{"put":[${back.put.map(recordText).join(',')}],"delete":[${back.delete.join(',')}],"nextId":${back.nextId}}`
  }
}

function tablesOf(change: Change): readonly PetTable[] {
  if (change.op === 'replace') return [change.table]
  if (change.op !== 'rewind') return []
  return Object.values(change.collections).flatMap((back) => ('table' in back ? [back.table] : []))
}
