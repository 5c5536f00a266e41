import type { Int64, Pet } from '../../world/pets/pet.ts'
import type { Change, CollectionName, StoredKey } from '../../world/stored.ts'
import type { PetReader } from './pet-reader.ts'
import { idOf, keysOf, type Members, membersOf, nameOf, nextIdOf, seqOf, ValidationError } from './shape.ts'

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
export function lineOf(value: unknown, { petOf, petsOf }: PetReader): LogLine {
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
