import fs from 'node:fs'
import type { Adapter } from 'lowdb'
import type { NamespaceView, StoredNamespace } from '../domain/stored.ts'
import { isMissing } from './data-file-error.ts'
import type { ParseJson } from './parse.ts'
import { readPetsFile } from './read-file.ts'
import { replaceFile } from './replace-file.ts'
import { Misfit, membersOf, nameOf, namespaceOf, objectOf, type PetsOf, seqOf } from './shape.ts'
import { type DataFile, dataFileText } from './text.ts'
import { viewOf } from './views.ts'

const VERSION = 1

/** lowdb's way to the data file: read with every digit, written in slices, replaced as a whole. */
export class DataFileAdapter implements Adapter<DataFile> {
  /** Size of the file in bytes; 0 while there is none. */
  size = 0
  /** When writing has to be done, as of performance.now(); past it the old file stays: OutOfTime. */
  deadline = Infinity
  readonly #file: string
  readonly #parse: ParseJson

  constructor(file: string, parse: ParseJson) {
    this.#file = file
    this.#parse = parse
  }

  /** Null where there is no file. Rejects with a DataFileError. */
  async read(): Promise<DataFile | null> {
    try {
      this.size = fs.statSync(this.#file).size
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
    return readPetsFile(this.#file, this.#parse, dataFileOf)
  }

  async write(data: DataFile): Promise<void> {
    this.size = await replaceFile(this.#file, dataFileText(data), { deadline: () => this.deadline })
  }
}

function dataFileOf(value: unknown, pets: PetsOf): DataFile {
  const version = (value as { version?: unknown } | null)?.version
  if (version !== VERSION) {
    throw new Misfit(['version'], `must be ${VERSION}, the only one that this petstore-sandbox knows`)
  }
  const { seq, namespaces } = membersOf(value, [], ['version', 'seq', 'namespaces'])
  const found = Object.entries(objectOf(namespaces, ['namespaces'])).map(([name, stored]) => {
    const path = ['namespaces', name]
    return [nameOf(name, path), viewOfNamespace(namespaceOf(stored, path, pets))] as const
  })
  return { seq: seq === undefined ? 0 : seqOf(seq, ['seq']), namespaces: new Map(found) }
}

const viewOfNamespace = ({ pets, empty, keys }: StoredNamespace): NamespaceView => ({
  pets: viewOf(pets),
  ...(empty && { empty: viewOf(empty) }),
  keys,
})
