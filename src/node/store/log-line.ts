import type { Pet } from '../../world/pets/pet.ts'
import type { Change, CollectionName, StoredNamespace } from '../../world/stored.ts'
import type { PetReader } from './pet-reader.ts'
import {
  idOf,
  keysOf,
  type Members,
  membersOf,
  nameOf,
  seqOf,
  namespaceOf as stateOf,
  ValidationError,
} from './shape.ts'

/** A parsed line of the log. `fresh` is the header of version 0.1.0. */
export type LogLine = { readonly seq: number } & (
  | { readonly op: 'fresh' }
  | {
      readonly op: 'create' | 'update'
      readonly namespace: string
      readonly collection: CollectionName
      readonly pet: Pet
    }
  /** These have the members of the change. */
  | Extract<Change, { op: 'delete' | 'keys' }>
  | { readonly op: 'replace'; readonly namespace: string; readonly state: StoredNamespace }
  | { readonly op: 'drop'; readonly namespace: string; readonly at?: number }
)

const MEMBERS = {
  fresh: ['seq', 'op'],
  create: ['seq', 'namespace', 'op', 'shelf', 'pet'],
  update: ['seq', 'namespace', 'op', 'shelf', 'pet'],
  delete: ['seq', 'namespace', 'op', 'shelf', 'id'],
  replace: ['seq', 'namespace', 'op', 'state'],
  keys: ['seq', 'namespace', 'op', 'keys'],
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
    case 'create':
    case 'update':
      return { seq, op, ...placeOf(line), pet: petOf(line.pet, ['pet']) }
    case 'delete':
      return { seq, op, ...placeOf(line), id: idOf(line.id, ['id']) }
    case 'replace':
      return { seq, op, namespace: namespaceOf(line), state: stateOf(line.state, ['state'], petsOf) }
    case 'keys':
      return { seq, op, namespace: namespaceOf(line), keys: keysOf(line.keys, ['keys']) }
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
