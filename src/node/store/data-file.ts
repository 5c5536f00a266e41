import fs from 'node:fs'
import type { Adapter } from 'lowdb'
import { isMissing } from './data-file-error.ts'
import type { PetReader } from './pet-reader.ts'
import { readPetsFile, type Shape } from './read-file.ts'
import { replaceFile } from './replace-file.ts'
import { markOf, membersOf, nameOf, namespaceOf, objectOf, seqOf, ValidationError } from './shape.ts'
import { type DataFile, dataFileText } from './text.ts'

const VERSION = 1
/** The highest sequence number accepted in an edited file, so that numbers for further changes are left. */
export const SEQ_MAX = 2 ** 52

/** The content of a data file. */
export interface ReadDataFile extends DataFile {
  /** The mark in the file; undefined in a file of version 0.1.0 or one written by hand. */
  readonly written: number | undefined
  /** Whether it was edited after the sandbox wrote it. If so, `mark` is the checksum of its content. */
  readonly isEdited: boolean
}

/** The adapter between lowdb and the data file: reads every digit, writes in slices, replaces the file atomically. */
export class DataFileAdapter implements Adapter<DataFile> {
  /** The size of the file in bytes; 0 if it does not exist. */
  size = 0
  /** The deadline of a write, as of performance.now(). After it the old file stays, and the write rejects with OutOfTime. */
  deadline = Infinity
  readonly #file: string
  readonly #reader: PetReader
  readonly #check: () => void

  /** `check` throws if writing is not allowed (any more). */
  constructor(file: string, reader: PetReader, check: () => void = () => {}) {
    this.#file = file
    this.#reader = reader
    this.#check = check
  }

  /** Null if the file does not exist. Rejects with a DataFileError. */
  async read(): Promise<ReadDataFile | null> {
    try {
      this.size = fs.statSync(this.#file).size
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
    return readPetsFile(this.#file, this.#reader, dataFileOf)
  }

  async write(data: DataFile): Promise<void> {
    this.size = await replaceFile(this.#file, dataFileText(data), {
      deadline: () => this.deadline,
      check: this.#check,
    })
  }
}

const dataFileOf: Shape<ReadDataFile> = (value, pets, seal) => {
  const version = (value as { version?: unknown } | null)?.version
  if (version !== VERSION) {
    throw new ValidationError(
      ['version'],
      `must be ${VERSION}, the only one that this petstore-sandbox knows`,
    )
  }
  const data = membersOf(value, [], ['version', 'seq', 'mark', 'namespaces', 'checksum'])
  const found = Object.entries(objectOf(data.namespaces, ['namespaces'])).map(([name, stored]) => {
    const path = ['namespaces', name]
    return [nameOf(name, path), namespaceOf(stored, path, pets)] as const
  })
  const written = data.mark === undefined ? undefined : markOf(data.mark, ['mark'])
  return {
    seq: data.seq === undefined ? 0 : seqOf(data.seq, ['seq'], seal.isIntact ? undefined : SEQ_MAX),
    mark: written !== undefined && seal.isIntact ? written : seal.print,
    written,
    isEdited: (written !== undefined || data.checksum !== undefined) && !seal.isIntact,
    namespaces: new Map(found),
  }
}
