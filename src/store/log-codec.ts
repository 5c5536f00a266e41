import { crc32 } from 'node:zlib'
import type { PetTable } from '../domain/pets/collection.ts'
import type { Int64, Pet } from '../domain/pets/pet.ts'
import type { Change, CollectionBack, CollectionName, StoredKey } from '../domain/world/stored.ts'
import { recordText } from '../openapi/record-shape.ts'
import { exactly } from './parse.ts'
import type { PetReader } from './pet-reader.ts'
import {
  idOf,
  keysOf,
  type Members,
  markOf,
  membersOf,
  nameOf,
  nextIdOf,
  seqOf,
  ValidationError,
} from './shape.ts'

/**
 * A point in the history of changes: the sequence number of the last one, and the checksum of all lines up to it. The
 * first checksum is random, so that two histories have different marks, and a copy that has diverged is detected.
 */
export interface Position {
  readonly seq: number
  readonly mark: number
}

/** The first line of a file of the log: the point after which it begins. Files of version 0.1.0 have none. */
export interface Header extends Position {
  /** Whether it replaces everything before it. */
  readonly fresh: boolean
}

/** A parsed line of the log. `fresh` is the header of version 0.1.0. */
export type LogLine = { readonly seq: number } & (
  | { readonly op: 'fresh' }
  /** `of`: the first line of the table; without it, the lines of a table follow one another. */
  | { readonly op: 'table'; readonly of?: number; readonly pets: readonly Pet[] }
  | {
      readonly op: 'create' | 'update'
      readonly namespace: string
      readonly collection: CollectionName
      readonly pet: Pet
    }
  /** These have the members of the change. */
  | Extract<Change, { op: 'delete' | 'keys' }>
  | {
      readonly op: 'replace'
      readonly namespace: string
      readonly collection: CollectionName
      /** The lines that define the table: the first and the last. */
      readonly table: readonly [first: number, last: number]
      readonly nextId: Int64
      readonly keys?: readonly StoredKey[]
    }
  | {
      readonly op: 'rewind'
      readonly namespace: string
      readonly collections: Readonly<Partial<Record<CollectionName, CollectionBackLine>>>
      readonly keys?: readonly StoredKey[]
    }
  | { readonly op: 'drop'; readonly namespace: string; readonly at?: number }
)

/** A collection that is rewound: to a table, or by changes of single pets. */
export type CollectionBackLine = { readonly nextId: Int64 } & (
  | { readonly table: readonly [first: number, last: number] }
  | { readonly table?: undefined; readonly put: readonly Pet[]; readonly delete: readonly Int64[] }
)

const MEMBERS = {
  fresh: ['seq', 'op'],
  table: ['seq', 'op', 'of', 'pets'],
  create: ['seq', 'namespace', 'op', 'shelf', 'pet'],
  update: ['seq', 'namespace', 'op', 'shelf', 'pet'],
  delete: ['seq', 'namespace', 'op', 'shelf', 'id'],
  replace: ['seq', 'namespace', 'op', 'shelf', 'table', 'nextId', 'keys'],
  keys: ['seq', 'namespace', 'op', 'keys'],
  rewind: ['seq', 'namespace', 'op', 'pets', 'empty', 'keys'],
  drop: ['seq', 'namespace', 'op', 'at'],
} as const satisfies Record<LogLine['op'], readonly string[]>

/** A line of the log from its parsed JSON; throws a ValidationError. */
function lineOf(value: unknown, { petOf, petsOf }: PetReader): LogLine {
  const op = opOf((value as { op?: unknown } | null)?.op)
  const line = membersOf(value, [], MEMBERS[op])
  const seq = seqOf(line.seq, ['seq'])
  switch (op) {
    case 'fresh':
      return { seq, op }
    case 'table':
      return {
        seq,
        op,
        ...(line.of !== undefined && { of: seqOf(line.of, ['of']) }),
        pets: petsOf(line.pets, ['pets']),
      }
    case 'create':
    case 'update':
      return { seq, op, ...placeOf(line), pet: petOf(line.pet, ['pet']) }
    case 'delete':
      return { seq, op, ...placeOf(line), id: idOf(line.id, ['id']) }
    case 'replace':
      return {
        seq,
        op,
        ...placeOf(line),
        table: rangeOf(line.table),
        nextId: nextIdOf(line.nextId, ['nextId']),
        ...(line.keys !== undefined && { keys: keysOf(line.keys, ['keys']) }),
      }
    case 'keys':
      return { seq, op, namespace: namespaceOf(line), keys: keysOf(line.keys, ['keys']) }
    case 'rewind':
      return {
        seq,
        op,
        namespace: namespaceOf(line),
        collections: {
          ...(line.pets !== undefined && { pets: backOf(line.pets, 'pets', petsOf) }),
          ...(line.empty !== undefined && { empty: backOf(line.empty, 'empty', petsOf) }),
        },
        ...(line.keys !== undefined && { keys: keysOf(line.keys, ['keys']) }),
      }
    case 'drop':
      return {
        seq,
        op,
        namespace: namespaceOf(line),
        ...(line.at !== undefined && { at: seqOf(line.at, ['at']) }),
      }
  }
}

function opOf(value: unknown): LogLine['op'] {
  const ops = Object.keys(MEMBERS) as LogLine['op'][]
  const op = ops.find((name) => name === value)
  if (!op) throw new ValidationError(['op'], `must be one of ${ops.join(', ')}`)
  return op
}

const namespaceOf = (line: Members): string => nameOf(line.namespace, ['namespace'])

/** The file format calls a collection `shelf`, as version 0.1.0 did. */
function placeOf(line: Members): { namespace: string; collection: CollectionName } {
  const { shelf } = line
  if (shelf === 'pets' || shelf === 'empty') return { namespace: namespaceOf(line), collection: shelf }
  throw new ValidationError(['shelf'], 'must be pets or empty')
}

function backOf(value: unknown, name: CollectionName, petsOf: PetReader['petsOf']): CollectionBackLine {
  const back = membersOf(value, [name], ['table', 'put', 'delete', 'nextId'])
  const nextId = nextIdOf(back.nextId, [name, 'nextId'])
  if (back.table !== undefined) return { table: rangeOf(back.table), nextId }
  const ids = Array.isArray(back.delete) ? back.delete : [back.delete]
  return {
    put: petsOf(back.put, [name, 'put']),
    delete: ids.map((id: unknown, index) => idOf(id, [name, 'delete', index])),
    nextId,
  }
}

function rangeOf(value: unknown): readonly [number, number] {
  if (Array.isArray(value) && value.length === 2 && value.every(Number.isSafeInteger)) {
    return value as unknown as readonly [number, number]
  }
  throw new ValidationError(['table'], 'must name the first and the last line of a table')
}

const CHECKSUM = ',"crc":'

/** Closes a line with the checksum of all lines up to it. */
const sealed = (body: string, mark: number): string => `${body}${CHECKSUM}${mark}}\n`

export function headerText({ seq, mark, fresh }: Header): string {
  const body = `{"op":"log","seq":${seq},"after":${mark}${fresh ? ',"fresh":true' : ''}`
  return sealed(body, crc32(body, mark))
}

/** Undefined if the line is not a header; throws a ValidationError or a SyntaxError if it is damaged. */
export function headerOf(text: string): Header | undefined {
  if (!text.startsWith('{"op":"log"')) return undefined
  const line = membersOf(JSON.parse(text), [], ['op', 'seq', 'after', 'fresh', 'crc'])
  const header = {
    seq: seqOf(line.seq, ['seq']),
    mark: markOf(line.after, ['after']),
    fresh: line.fresh === true,
  }
  if (`${text}\n` !== headerText(header)) throw new ValidationError([], WRONG_CHECKSUM)
  return header
}

const WRONG_CHECKSUM = 'the checksum of this line does not match: it was changed after it was written'

/** The next line of the log, and the mark after it. Throws a ValidationError or a SyntaxError. */
export function readLine(
  text: string,
  mark: number,
  hasChecksum: boolean,
  reader: PetReader,
): { line: LogLine; mark: number } {
  if (!hasChecksum) return { line: exactly(text, (value) => lineOf(value, reader)), mark: crc32(text, mark) }
  const end = text.lastIndexOf(CHECKSUM)
  const body = text.slice(0, end)
  const next = crc32(body, mark)
  if (end === -1 || `${text}\n` !== sealed(body, next)) throw new ValidationError([], WRONG_CHECKSUM)
  return { line: exactly(`${body}}`, (value) => lineOf(value, reader)), mark: next }
}

/** True if a line continues after its checksum: it is not truncated, but was changed. */
export const goesOn = (text: string): boolean => /,"crc":\d+([^\d}]|\}.)/s.test(text)

/** The characters of pets in one line of a table. */
const LINE = 32 * 1024
/** The most pets that are serialised in one slice. */
const FEW_PETS = 500

/**
 * Changes as numbered lines of the log. A table is written before the first change that uses it, in its own lines;
 * later changes name these lines. So a reset of two hundred namespaces to one fixture writes the fixture once.
 */
export class Encoder {
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
