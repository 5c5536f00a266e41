import type { Int64, Pet } from '../domain/pet.ts'
import type { Shelf, StoredKey } from '../domain/stored.ts'
import { keysOf, type Members, Misfit, membersOf, nameOf, nextIdOf, petOf, petsOf, seqOf } from './shape.ts'

/** One line of the log, as it is read. */
export type LogLine = { readonly seq: number } & (
  | { readonly op: 'fresh' }
  | { readonly op: 'table'; readonly pets: readonly Pet[] }
  | { readonly op: 'create'; readonly namespace: string; readonly shelf: Shelf; readonly pet: Pet }
  | {
      readonly op: 'replace'
      readonly namespace: string
      readonly shelf: Shelf
      /** The lines that define the table: the first and the last. */
      readonly table: readonly [first: number, last: number]
      readonly nextId: Int64
      readonly keys?: readonly StoredKey[]
    }
  | { readonly op: 'keys'; readonly namespace: string; readonly keys: readonly StoredKey[] }
  | { readonly op: 'drop'; readonly namespace: string }
)

const MEMBERS = {
  fresh: ['seq', 'op'],
  table: ['seq', 'op', 'pets'],
  create: ['seq', 'namespace', 'op', 'shelf', 'pet'],
  replace: ['seq', 'namespace', 'op', 'shelf', 'table', 'nextId', 'keys'],
  keys: ['seq', 'namespace', 'op', 'keys'],
  drop: ['seq', 'namespace', 'op'],
} as const satisfies Record<LogLine['op'], readonly string[]>

/** A line of the log from its parsed JSON; throws a Misfit. */
export function lineOf(value: unknown): LogLine {
  const op = opOf((value as { op?: unknown } | null)?.op)
  const line = membersOf(value, [], MEMBERS[op])
  const seq = seqOf(line.seq, ['seq'])
  switch (op) {
    case 'fresh':
      return { seq, op }
    case 'table':
      return { seq, op, pets: petsOf(line.pets, ['pets']) }
    case 'create':
      return { seq, op, namespace: namespaceOf(line), shelf: shelfOf(line), pet: petOf(line.pet, ['pet']) }
    case 'replace':
      return {
        seq,
        op,
        namespace: namespaceOf(line),
        shelf: shelfOf(line),
        table: rangeOf(line.table),
        nextId: nextIdOf(line.nextId, ['nextId']),
        ...(line.keys !== undefined && { keys: keysOf(line.keys, ['keys']) }),
      }
    case 'keys':
      return { seq, op, namespace: namespaceOf(line), keys: keysOf(line.keys, ['keys']) }
    case 'drop':
      return { seq, op, namespace: namespaceOf(line) }
  }
}

function opOf(value: unknown): LogLine['op'] {
  const ops = Object.keys(MEMBERS) as LogLine['op'][]
  const op = ops.find((name) => name === value)
  if (!op) throw new Misfit(['op'], `must be one of ${ops.join(', ')}`)
  return op
}

const namespaceOf = (line: Members): string => nameOf(line.namespace, ['namespace'])

function shelfOf({ shelf }: Members): Shelf {
  if (shelf === 'pets' || shelf === 'empty') return shelf
  throw new Misfit(['shelf'], 'must be pets or empty')
}

function rangeOf(value: unknown): readonly [number, number] {
  if (Array.isArray(value) && value.length === 2 && value.every(Number.isSafeInteger)) {
    return value as unknown as readonly [number, number]
  }
  throw new Misfit(['table'], 'must name the first and the last line of a table')
}
