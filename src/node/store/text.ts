import { crc32 } from 'node:zlib'
import { recordText } from '../../contract/openapi/record-shape.ts'
import type { Pets } from '../../world/pets/collection.ts'
import type { SnapshotContent } from '../../world/store.ts'
import type { StoredKey, StoredNamespace } from '../../world/stored.ts'

/** The content of the data file: every namespace, as of one point of the log. */
export interface DataFile {
  readonly seq: number
  readonly mark: number
  readonly namespaces: ReadonlyMap<string, StoredNamespace>
}

export const NOTHING: DataFile = { seq: 0, mark: 0, namespaces: new Map() }

/** The pets serialised in one slice. */
const PETS_A_PIECE = 64

/** The text of a data file in small slices, one pet per line; at the end the checksum of everything before it. */
export function* dataFileText(data: DataFile): Generator<string> {
  let checksum = 0
  for (const piece of contentText(data)) {
    checksum = crc32(piece, checksum)
    yield piece
  }
  yield `${CHECKSUM}${checksum}\n}\n`
}

const CHECKSUM = '  "checksum": '
/** The last lines of a data file are shorter than this, in bytes. */
const END = 64

/** Detects edits of a data file by its checksum. It takes the bytes in blocks of whole lines. */
export class Seal {
  /** The checksum of all bytes so far. */
  print = 0
  #content = 0
  #stated: string | undefined

  take(block: Buffer): void {
    const at = block.indexOf(CHECKSUM, Math.max(0, block.length - END), 'latin1')
    if (at !== -1) {
      this.#content = crc32(block.subarray(0, at), this.print)
      this.#stated = /\d+/.exec(block.toString('latin1', at))?.[0]
    }
    this.print = crc32(block, this.print)
  }

  get isIntact(): boolean {
    return this.#stated === String(this.#content)
  }
}

function* contentText({ seq, mark, namespaces }: DataFile): Generator<string> {
  yield `{\n  "version": 1,\n  "seq": ${seq},\n  "mark": ${mark},\n  "namespaces": {`
  let separator = '\n'
  for (const [name, { pets, empty, keys }] of namespaces) {
    yield `${separator}    ${JSON.stringify(name)}: {\n`
    yield* petsText(pets, '      ')
    if (empty) {
      yield ',\n      "empty": {\n'
      yield* petsText(empty, '        ')
      yield '\n      }'
    }
    yield `,\n${keysText(keys, '      ')}\n    }`
    separator = ',\n'
  }
  yield `${namespaces.size > 0 ? '\n  ' : ''}},\n`
}

/** The text of a snapshot, which is a fixture, in small slices. */
export function* snapshotText({ pets, keys }: SnapshotContent): Generator<string> {
  yield '{\n'
  yield* petsText(pets, '  ')
  const bare = keys.map(({ key, plan, expiresAt, revoked }) => ({ key, plan, expiresAt, revoked }))
  yield `,\n${keysText(bare, '  ')}\n}\n`
}

function* petsText(pets: Pets, indent: string): Generator<string> {
  yield `${indent}"pets": [`
  const separator = `,\n${indent}  `
  let lines: string[] = []
  let isFirst = true
  const piece = () => {
    const text = `${isFirst ? separator.slice(1) : separator}${lines.join(separator)}`
    isFirst = false
    lines = []
    return text
  }
  for (const pet of pets.values()) {
    lines.push(recordText(pet))
    if (lines.length === PETS_A_PIECE) yield piece()
  }
  if (lines.length > 0) yield piece()
  yield `${pets.size > 0 ? `\n${indent}` : ''}],\n${indent}"nextId": ${pets.nextId}`
}

const keysText = (keys: readonly StoredKey[], indent: string): string => {
  const lines = keys.map((key) => `\n${indent}  ${JSON.stringify(key)}`)
  return `${indent}"keys": [${lines.join(',')}${keys.length > 0 ? `\n${indent}` : ''}]`
}
