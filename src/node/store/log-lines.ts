import { recordText } from '../../contract/openapi/record-shape.ts'
import type { Pets } from '../../world/pets/collection.ts'
import type { Pet } from '../../world/pets/pet.ts'
import type { Change, CollectionName, StoredNamespace } from '../../world/stored.ts'
import { crc32 } from './checksum.ts'
import { exactly } from './read-json.ts'
import {
  checksumOf,
  idOf,
  type JsonObject,
  keysOf,
  membersOf,
  nameOf,
  namespaceOf,
  type PetReader,
  seqOf,
  ValidationError,
} from './validation.ts'

/**
 * A point in the history of changes: the sequence number of the last one, and the checksum of all lines up to it. The
 * first checksum is random, so that two histories have different marks, and a copy that has diverged is detected.
 */
export interface Position {
  readonly seq: number
  readonly mark: number
}

/** The content of a line: a change; that a data file with its number holds the pets; or that none ever did. */
export type Logged =
  | Change
  | { readonly op: 'replace'; readonly namespace: string; readonly state?: undefined }
  | { readonly op: 'undo'; readonly namespace: string }

/** A line that was read. */
export type LogLine = { readonly seq: number; readonly namespace: string } & (
  | { readonly op: 'create' | 'update'; readonly collection: CollectionName; readonly pet: Pet }
  | { readonly op: 'replace'; readonly state: StoredNamespace | undefined }
  | { readonly op: 'drop'; readonly at: number }
  | Extract<Logged, { op: 'delete' | 'keys' | 'undo' }>
)

const CHECKSUM = ',"crc":'

/** Closes a line with the checksum of all lines up to it. */
const sealed = (body: string, mark: number): string => `${body}${CHECKSUM}${mark}}\n`

/** The first line of a file of the log: the point after which it begins. */
export function headerText({ seq, mark }: Position): string {
  const body = `{"op":"log","seq":${seq},"after":${mark}`
  return sealed(body, crc32(body, mark))
}

/** The next line of the log, and the position after it. */
export function lineText({ seq, mark }: Position, change: Logged): Position & { readonly text: string } {
  const body = `{"seq":${seq + 1},"namespace":${JSON.stringify(change.namespace)},"op":"${change.op}"${membersText(change)}`
  const next = crc32(body, mark)
  return { seq: seq + 1, mark: next, text: sealed(body, next) }
}

/** The file format calls a collection `shelf`. */
function membersText(change: Logged): string {
  switch (change.op) {
    case 'create':
    case 'update':
      return `,"shelf":"${change.collection}","pet":${change.json}`
    case 'delete':
      return `,"shelf":"${change.collection}","id":${change.id}`
    case 'keys':
      return `,"keys":${JSON.stringify(change.keys)}`
    case 'replace':
      return change.state ? `,"state":{${stateText(change.state)}}` : ''
    case 'drop':
      return `,"at":${Date.now()}`
    case 'undo':
      return ''
  }
}

const stateText = ({ pets, empty, keys }: StoredNamespace): string =>
  `${petsText(pets)}${empty ? `,"empty":{${petsText(empty)}}` : ''},"keys":${JSON.stringify(keys)}`

const petsText = (pets: Pets): string =>
  `"pets":[${Array.from(pets.values(), recordText).join(',')}],"nextId":${pets.nextId}`

/** Throws a ValidationError or a SyntaxError. */
export function readHeader(text: string): Position {
  const line = membersOf(JSON.parse(text), [], ['op', 'seq', 'after', 'crc'])
  const header = { seq: seqOf(line.seq, ['seq']), mark: checksumOf(line.after, ['after']) }
  if (`${text}\n` !== headerText(header)) throw wrongChecksum()
  return header
}

/** The next line of the log, and the mark after it. Throws a ValidationError or a SyntaxError. */
export function readLine(text: string, mark: number, reader: PetReader): { line: LogLine; mark: number } {
  const end = text.lastIndexOf(CHECKSUM)
  const body = text.slice(0, end)
  const next = crc32(body, mark)
  if (end === -1 || `${text}\n` !== sealed(body, next)) throw wrongChecksum()
  return { line: exactly(`${body}}`, (value) => lineOf(value, reader)), mark: next }
}

const wrongChecksum = (): ValidationError =>
  new ValidationError([], 'the checksum of this line does not match: it was changed after it was written')

/** True for the beginning of a line, as a crash cuts it off; not where anything follows that no line holds. */
export const isBeginning = (text: string): boolean =>
  text.startsWith('{') && !text.includes('\0') && !/,"crc":\d+([^\d}]|\}.)/s.test(text)

const MEMBERS: Readonly<Record<LogLine['op'], readonly string[]>> = {
  create: ['shelf', 'pet'],
  update: ['shelf', 'pet'],
  delete: ['shelf', 'id'],
  replace: ['state'],
  keys: ['keys'],
  drop: ['at'],
  undo: [],
}

function lineOf(value: unknown, reader: PetReader): LogLine {
  const op = opOf((value as { op?: unknown } | null)?.op)
  const line = membersOf(value, [], ['seq', 'namespace', 'op', ...MEMBERS[op]])
  const known = { seq: seqOf(line.seq, ['seq']), namespace: nameOf(line.namespace, ['namespace']) }
  switch (op) {
    case 'create':
    case 'update':
      return { ...known, op, collection: collectionOf(line), pet: reader.petOf(line.pet, ['pet']) }
    case 'delete':
      return { ...known, op, collection: collectionOf(line), id: idOf(line.id, ['id']) }
    case 'replace': {
      const { state } = line
      return {
        ...known,
        op,
        state: state === undefined ? undefined : namespaceOf(state, ['state'], reader.petsOf),
      }
    }
    case 'keys':
      return { ...known, op, keys: keysOf(line.keys, ['keys']) }
    case 'drop':
      return { ...known, op, at: seqOf(line.at, ['at']) }
    case 'undo':
      return { ...known, op }
  }
}

function opOf(value: unknown): LogLine['op'] {
  const ops = Object.keys(MEMBERS) as LogLine['op'][]
  const op = ops.find((name) => name === value)
  if (!op) throw new ValidationError(['op'], `must be one of ${ops.join(', ')}`)
  return op
}

function collectionOf({ shelf }: JsonObject): CollectionName {
  if (shelf === 'pets' || shelf === 'empty') return shelf
  throw new ValidationError(['shelf'], 'must be pets or empty')
}
