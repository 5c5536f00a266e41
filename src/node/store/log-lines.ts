import { parseJson } from '../../contract/openapi/json.ts'
import { petText } from '../../contract/openapi/pet-shape.ts'
import type { Pets } from '../../world/pets/collection.ts'
import type { Change, StoredNamespace } from '../../world/store.ts'
import { checksumOf, type JsonObject, membersOf, seqOf, ValidationError } from './validation.ts'

let zlib: typeof import('node:zlib') | undefined

/** The CRC-32 of some data; `before`: that of earlier data. Its module is loaded late: an import delays each start. */
export function crc32(data: string | Uint8Array, before?: number): number {
  zlib ??= process.getBuiltinModule('node:zlib')
  return zlib.crc32(data, before)
}

/**
 * A position in the history of changes: the sequence number of the last change, and the checksum of all lines up to it.
 * The first checksum is random. Two histories therefore have different marks, and a copy that has diverged is detected.
 */
export interface Position {
  readonly seq: number
  readonly mark: number
}

/** The content of a line: a change, or `rewrite`: the data file at this position has changes that no line has. */
export type Logged = Change | { readonly op: 'rewrite' }

const CHECKSUM = ',"crc":'

/** Ends a line with the checksum of all lines up to it. */
const sealed = (body: string, mark: number): string => `${body}${CHECKSUM}${mark}}\n`

/** The first line of a file of the log: the point after which it begins. */
export function headerText({ seq, mark }: Position): string {
  const body = `{"op":"log","seq":${seq},"after":${mark}`
  return sealed(body, crc32(body, mark))
}

/** Earlier lines with the pets of a table, by that table: a line with the same pets refers to one of them. */
type Replaced = Map<object, number>

/** The next line of the log, and the position after it. */
export function lineText(
  { seq, mark }: Position,
  change: Logged,
  replaced: Replaced,
): Position & { readonly text: string } {
  const named = change.op === 'rewrite' ? '' : `,"namespace":${JSON.stringify(change.namespace)}`
  const body = `{"seq":${seq + 1}${named},"op":"${change.op}"${membersText(change, seq + 1, replaced)}`
  const next = crc32(body, mark)
  return { seq: seq + 1, mark: next, text: sealed(body, next) }
}

/** The file format calls a collection `shelf`. */
function membersText(change: Logged, seq: number, replaced: Replaced): string {
  switch (change.op) {
    case 'create':
    case 'update':
      return `,"shelf":"${change.collection}","pet":${change.json}`
    case 'delete':
      return `,"shelf":"${change.collection}","id":${change.id}`
    case 'keys':
      return `,"keys":${JSON.stringify(change.keys)}`
    case 'replace':
      return `,"state":{${stateText(change.state, seq, replaced)}}`
    case 'drop':
      return `,"at":${Date.now()}`
    case 'rewrite':
      return ''
  }
}

function stateText({ pets, empty, keys }: StoredNamespace, seq: number, replaced: Replaced): string {
  const content = contentOf(pets)
  const earlier = replaced.get(content)
  if (earlier === undefined && pets.size > 0) replaced.set(content, seq)
  const own = earlier === undefined ? petsText(pets) : `"petsOf":${earlier}`
  return `${own}${empty.isNew ? '' : `,"empty":{${petsText(empty)}}`},"keys":${JSON.stringify(keys)}`
}

/** Identifies the pets of a collection: its table if it is unchanged, else the collection itself. */
export const contentOf = (pets: Pets): object => (pets.isUnchanged ? pets.table : pets)

const petsText = (pets: Pets): string =>
  `"pets":[${Array.from(pets.values(), petText).join(',')}],"nextId":${pets.nextId}`

/** Parses a header line. Throws a ValidationError or a SyntaxError. */
export function readHeader(text: string): Position {
  const line = membersOf(JSON.parse(text), [], ['op', 'seq', 'after', 'fresh', 'crc'])
  if (line.fresh === true) throw ofFirstVersion()
  const header = { seq: seqOf(line.seq, ['seq']), mark: checksumOf(line.after, ['after']) }
  if (`${text}\n` !== headerText(header)) throw wrongChecksum()
  return header
}

/** The next line of the log, and the mark after it. Throws a ValidationError or a SyntaxError. */
export function readLine(text: string, mark: number): { readonly line: JsonObject; readonly mark: number } {
  const end = text.lastIndexOf(CHECKSUM)
  const body = text.slice(0, end)
  const next = crc32(body, mark)
  if (end === -1 || `${text}\n` !== sealed(body, next)) throw wrongChecksum()
  return { line: parseJson(`${body}}`) as JsonObject, mark: next }
}

/** Version 0.1.0 wrote replaced pets, and a fresh start, in another form. Its end leaves no log. */
export const ofFirstVersion = (): ValidationError =>
  new ValidationError(
    [],
    'petstore-sandbox 0.1.0 wrote this log, and only that version can read it',
    undefined,
    'Start that version with the data file and stop it again (npx petstore-sandbox@0.1.0)',
  )

const wrongChecksum = (): ValidationError =>
  new ValidationError([], 'the checksum of this line does not match: it was changed after it was written')

/** Whether a text is the beginning of a line that a crash cut off. */
export const isBeginning = (text: string): boolean =>
  text.startsWith('{') && !text.includes('\0') && !/,"crc":\d+([^\d}]|\}.)/s.test(text)
