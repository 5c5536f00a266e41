import { constants } from 'node:buffer'
import fs from 'node:fs'
import { batches, isObject, joined, jsonOf } from '../../contract/openapi/json.ts'
import { type PetShape, petText } from '../../contract/openapi/pet-shape.ts'
import { inMiB } from '../../text/in-thousands.ts'
import { withoutMark } from '../../text/utf8.ts'
import type { Slices } from '../../time/slices.ts'
import type { Pets } from '../../world/pets/collection.ts'
import type { Pet } from '../../world/pets/pet.ts'
import type { StoredKey, StoredNamespace } from '../../world/store.ts'
import type { Warn } from './data-file-error.ts'
import { crc32, type Position } from './log-lines.ts'
import { readJsonFile } from './read-json.ts'
import { checkRegular, nameBeside, replaceFile, stampAt } from './replace-file.ts'
import {
  checksumOf,
  membersOf,
  nameOf,
  namespaceOf,
  objectOf,
  PetReader,
  seqOf,
  ValidationError,
} from './validation.ts'

const VERSION = 1
/** The highest sequence number accepted in an edited file: enough numbers are left for further changes. */
const SEQ_MAX = 2 ** 52

/** The content of the data file: every namespace at one position of the log. */
export interface DataFile extends Position {
  /** Whether older files of the log belong to a history that a fresh start ended. */
  readonly isFresh: boolean
  readonly namespaces: ReadonlyMap<string, StoredNamespace>
}

export const NOTHING: DataFile = { seq: 0, mark: 0, isFresh: false, namespaces: new Map() }

/** A data file that was read. */
export interface ReadDataFile extends DataFile {
  /** The mark in the file; undefined in a file written by hand. */
  readonly written: number | undefined
  /** Whether it was edited after the sandbox wrote it. If so, `mark` is the checksum of its content. */
  readonly isEdited: boolean
}

export type DataFileAdapter = ReturnType<typeof dataFileAdapter>

/**
 * The adapter between lowdb and a data file: reads every digit, writes in slices, replaces the file atomically. `check`
 * throws if writing is not allowed (any more). `longest`: the most characters that a start can read.
 */
export function dataFileAdapter(
  file: string,
  reader: PetReader,
  slices: Slices,
  check: () => void = () => {},
  warn: Warn = () => {},
  longest: number = constants.MAX_STRING_LENGTH,
) {
  /** Identifies the file that was read or written last. */
  let lastStamp = stampAt(file)
  const adapter = {
    file,
    /** The size of the file in bytes; 0 until it is read or written. */
    size: 0,
    /** The deadline of a write, by monotonic(). After it the old file stays, and the write rejects with OutOfTime. */
    deadline: Infinity,
    read,
    write,
  }
  return adapter

  /** Null if the file does not exist. Rejects with a DataFileError. */
  async function read(): Promise<ReadDataFile | null> {
    const stat = fs.statSync(file, { throwIfNoEntry: false })
    if (!stat) return null
    adapter.size = stat.size
    const validator = (bytes: Buffer) => {
      const { isAsWritten, checksum } = checksumIn(bytes)
      return (value: unknown) => dataFileOf(value, isAsWritten, checksum, reader)
    }
    return readJsonFile(file, validator, slices)
  }

  async function write(data: DataFile): Promise<void> {
    await keepReplacement()
    const limits = { deadline: () => adapter.deadline, check }
    adapter.size = await replaceFile(file, dataFileText(data, longest), limits)
    lastStamp = stampAt(file)
  }

  /** If somebody replaced the file, the replacement is copied before it is overwritten. */
  async function keepReplacement(): Promise<void> {
    const stamp = stampAt(file)
    if (stamp === undefined || stamp === lastStamp) return
    checkRegular(file)
    check()
    const kept = nameBeside(file)
    await fs.promises.copyFile(file, kept)
    lastStamp = stamp
    warn(
      `${file} was changed while the sandbox ran, which had no effect; it is kept as ${kept}. Use petstore-sandbox seed instead.`,
    )
  }
}

/** All namespaces of a data file, read as at a start; undefined for another file. Rejects with a DataFileError. */
export async function validateDataFile(
  file: string,
  shape: PetShape,
  slices: Slices,
  warn: Warn,
): Promise<ReadonlyMap<string, StoredNamespace> | undefined> {
  // The reader of fixtures says why a file cannot be read.
  const text = await fs.promises.readFile(file, 'utf8').catch(() => '')
  if (!text.includes('"namespaces"')) return undefined
  const value = jsonOf(withoutMark(text))
  if (!isObject(value) || !('namespaces' in value)) return undefined
  const reader = new PetReader(shape)
  const data = await dataFileAdapter(file, reader, slices).read()
  warnOfUndeclared(file, reader, warn)
  return data?.namespaces
}

export function warnOfUndeclared(file: string, { undeclared }: PetReader, warn: Warn): void {
  if (undeclared.size === 0) return
  const names = [...undeclared].join(', ')
  warn(
    `${file}: its pets have fields that the contract does not declare (${names}): they are kept, but not served. Start with the overlay that declares them.`,
  )
}

/** `isAsWritten`: it was not edited; `checksum`: that of its bytes. */
function dataFileOf(value: unknown, isAsWritten: boolean, checksum: number, reader: PetReader): ReadDataFile {
  const version: unknown = Object(value).version
  if (version !== VERSION) {
    const isNewer = typeof version === 'number' && version > VERSION && 'namespaces' in Object(value)
    throw new ValidationError(
      ['version'],
      isNewer
        ? `is ${version}: a newer petstore-sandbox wrote this file, and only that one can read it`
        : `must be ${VERSION}, the only one that this petstore-sandbox knows`,
      undefined,
      isNewer ? 'Use that petstore-sandbox' : undefined,
    )
  }
  const data = membersOf(value, [], ['version', 'seq', 'mark', 'fresh', 'namespaces', 'checksum'])
  const found = Object.entries(objectOf(data.namespaces, ['namespaces'])).map(([name, stored]) => {
    const path = ['namespaces', name]
    return [nameOf(name, path), namespaceOf(stored, path, reader)] as const
  })
  const written = data.mark === undefined ? undefined : checksumOf(data.mark, ['mark'])
  return {
    seq: data.seq === undefined ? 0 : seqOf(data.seq, ['seq'], isAsWritten ? undefined : SEQ_MAX),
    mark: written !== undefined && isAsWritten ? written : checksum,
    isFresh: data.fresh === true,
    written,
    isEdited: (written !== undefined || data.checksum !== undefined) && !isAsWritten,
    namespaces: new Map(found),
  }
}

const CHECKSUM = '  "checksum": '
/** The last lines of a data file are shorter than this, in bytes. */
const LONGEST_END = 64

/** The checksum of all bytes of a data file, and whether the one at its end is right: the file was not edited. */
function checksumIn(bytes: Buffer): { readonly isAsWritten: boolean; readonly checksum: number } {
  const at = bytes.lastIndexOf(CHECKSUM)
  const end = bytes.subarray(at < 0 ? bytes.length : at)
  const before = crc32(bytes.subarray(0, bytes.length - end.length))
  const isAsWritten = end.length <= LONGEST_END && /\d+/.exec(end.toString('latin1'))?.[0] === String(before)
  return { isAsWritten, checksum: crc32(end, before) }
}

/** The text of a data file in small slices, one pet per line. The checksum at the end covers everything before it. */
function* dataFileText(data: DataFile, longest: number): Generator<string> {
  let checksum = 0
  let length = LONGEST_END
  for (const part of contentText(data)) {
    length += part.length
    if (length > longest)
      throw new Error(
        `it would be longer than a start can read (${inMiB(longest)}). Drop namespaces or delete pets`,
      )
    checksum = crc32(part, checksum)
    yield part
  }
  yield `${CHECKSUM}${checksum}\n}\n`
}

function* contentText({ seq, mark, isFresh, namespaces }: DataFile): Generator<string> {
  const fresh = isFresh ? '\n  "fresh": true,' : ''
  yield `{\n  "version": 1,\n  "seq": ${seq},\n  "mark": ${mark},${fresh}\n  "namespaces": {`
  yield* joined(namespaces, function* ([name, { pets, empty, keys }]) {
    yield `\n    ${JSON.stringify(name)}: {\n`
    yield* petsText(pets, '      ')
    if (!empty.isNew) {
      yield ',\n      "empty": {\n'
      yield* petsText(empty, '        ')
      yield '\n      }'
    }
    yield `,\n${keysText(keys, '      ')}\n    }`
  })
  yield `${namespaces.size > 0 ? '\n  ' : ''}},\n`
}

/** The pets serialised in one slice. */
const PETS_A_SLICE = 64

export function* petsText(pets: Pets, indent: string): Generator<string> {
  const textOf = (pet: Pet) => `\n${indent}  ${petText(pet)}`
  yield `${indent}"pets": [`
  yield* joined(batches(pets.values(), PETS_A_SLICE), (some) => some.map(textOf).join())
  yield `${pets.size > 0 ? `\n${indent}` : ''}],\n${indent}"nextId": ${pets.nextId}`
}

export function keysText(keys: readonly StoredKey[], indent: string): string {
  const lines = keys.map((key) => `\n${indent}  ${JSON.stringify(key)}`)
  return `${indent}"keys": [${lines.join(',')}${keys.length > 0 ? `\n${indent}` : ''}]`
}
