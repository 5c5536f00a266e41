import fs from 'node:fs'
import type { Adapter } from 'lowdb'
import { isMissing } from './data-file-error.ts'
import type { PetReader } from './pet-reader.ts'
import { readPetsFile, type Shape } from './read-file.ts'
import { replaceFile } from './replace-file.ts'
import { markOf, membersOf, nameOf, namespaceOf, objectOf, seqOf, ValidationError } from './shape.ts'
import { type DataFile, dataFileText } from './text.ts'

const VERSION = 1
/** The highest number of a change in a file that the sandbox did not write: there must be numbers left behind it. */
export const SEQ_MAX = 2 ** 52

/** A data file as it was read. */
export interface ReadDataFile extends DataFile {
  /** The mark that was written into it; undefined in one of version 0.1.0, or made by hand. */
  readonly written: number | undefined
  /** It was changed after the sandbox wrote it. Then `mark` is the checksum of what it is now. */
  readonly isEdited: boolean
}

/** lowdb's way to the data file: read with every digit, written in slices, replaced as a whole. */
export class DataFileAdapter implements Adapter<DataFile> {
  /** Size of the file in bytes; 0 while there is none. */
  size = 0
  /** When writing has to be done, as of performance.now(); past it the old file stays: OutOfTime. */
  deadline = Infinity
  readonly #file: string
  readonly #reader: PetReader
  readonly #check: () => void

  /** `check` throws where the file must not be written (any more). */
  constructor(file: string, reader: PetReader, check: () => void = () => {}) {
    this.#file = file
    this.#reader = reader
    this.#check = check
  }

  /** Null where there is no file. Rejects with a DataFileError. */
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
