import fs from 'node:fs'
import { join } from 'node:path'
import { isMissing } from '../../text/error.ts'
import type { Slices } from '../../time/slices.ts'
import { ApiError } from '../../world/api-error.ts'
import type { Fixture } from '../../world/pets/fixture.ts'
import type { SnapshotContent, SnapshotInfo, Snapshots } from '../../world/store.ts'
import { keysText, petsText } from './data-file.ts'
import { DataFileError, reasonOf } from './data-file-error.ts'
import { readJsonFile } from './read-json.ts'
import { replaceFile, stampOf } from './replace-file.ts'
import { type PetReader, snapshotOf } from './validation.ts'

const SUFFIX = '.json'

/**
 * Snapshots as fixture files: `<folder>/<namespace>/<name>.json`. The time of a snapshot is the modification time of
 * its file.
 */
export class FileSnapshots implements Snapshots {
  readonly #folder: string
  readonly #reader: PetReader
  readonly #slices: Slices
  readonly #check: () => void
  /** The number of pets in each file, valid while the file is unchanged. */
  readonly #counts = new Map<string, { readonly stamp: string; readonly pets: number }>()
  /** Files are written one after the other. */
  #saving: Promise<unknown> = Promise.resolve()

  /** `check` throws if writing is not allowed (any more). */
  constructor(folder: string, reader: PetReader, slices: Slices, check: () => void) {
    this.#folder = folder
    this.#reader = reader
    this.#slices = slices
    this.#check = check
  }

  save(namespace: string, name: string, content: SnapshotContent, at: number): Promise<SnapshotInfo> {
    const saved = this.#saving.then(() => this.#write(namespace, name, content, at))
    this.#saving = saved.catch(() => {})
    return saved
  }

  async read(namespace: string, name: string): Promise<Fixture | undefined> {
    const path = this.#pathOf(namespace, name)
    try {
      return await readJsonFile(path, (value) => snapshotOf(value, this.#reader), this.#slices)
    } catch (error) {
      if (isMissing(error)) return undefined
      throw new ApiError('conflict', `The snapshot ${name} cannot be read. ${placeOf(error)}`)
    }
  }

  async list(namespace: string): Promise<SnapshotInfo[]> {
    const folder = this.#folderOf(namespace)
    const files =
      (await unlessMissing(`The snapshots of ${namespace} cannot be read.`, () =>
        fs.promises.readdir(folder),
      )) ?? []
    const names = files.filter((file) => file.endsWith(SUFFIX)).map((file) => nameOf(file))
    const found = await Promise.all(names.map((name) => this.#infoOf(namespace, name)))
    return found
      .filter((info) => info !== undefined)
      .sort((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1))
  }

  async delete(namespace: string, name: string): Promise<boolean> {
    const path = this.#pathOf(namespace, name)
    const deleted = await unlessMissing(`The snapshot ${name} could not be deleted.`, async () => {
      this.#check()
      await fs.promises.unlink(path)
      return true
    })
    return deleted ?? false
  }

  /** Deletes the snapshots of a namespace up to `until`, in milliseconds since the epoch; never throws. */
  drop(namespace: string, warn: (message: string) => void, until = Infinity): void {
    const folder = this.#folderOf(namespace)
    try {
      if (until === Infinity) fs.rmSync(folder, { recursive: true, force: true })
      else if (fs.existsSync(folder)) {
        const paths = fs.readdirSync(folder).map((file) => join(folder, file))
        for (const path of paths.filter((path) => fs.statSync(path).mtimeMs <= until)) fs.rmSync(path)
      }
    } catch (error) {
      warn(`The snapshots of ${namespace} could not be deleted: ${reasonOf(error)}`)
    }
  }

  /** Resolves when no snapshot is being saved. */
  async settle(): Promise<void> {
    await this.#saving
  }

  async #write(namespace: string, name: string, content: SnapshotContent, at: number): Promise<SnapshotInfo> {
    const path = this.#pathOf(namespace, name)
    try {
      this.#check()
      await fs.promises.mkdir(this.#folderOf(namespace), { recursive: true })
      await replaceFile(path, snapshotText(content), { modified: at, check: this.#check })
      const pets = content.pets.size
      this.#counts.set(path, { stamp: stampOf(fs.statSync(path)), pets })
      return { name, at, pets }
    } catch (error) {
      throw unavailable(`The snapshot ${name} could not be saved.`, error)
    }
  }

  /** Undefined if it was deleted meanwhile. */
  async #infoOf(namespace: string, name: string): Promise<SnapshotInfo | undefined> {
    const path = this.#pathOf(namespace, name)
    const stat = await unlessMissing(`The snapshot ${name} cannot be read.`, () => fs.promises.stat(path))
    if (!stat) return undefined
    const [at, stamp] = [Math.round(stat.mtimeMs), stampOf(stat)]
    const known = this.#counts.get(path)
    if (known?.stamp === stamp) return { name, at, pets: known.pets }
    const fixture = await this.read(namespace, name)
    if (!fixture) return undefined
    const pets = fixture.pets.length
    this.#counts.set(path, { stamp, pets })
    return { name, at, pets }
  }

  #folderOf = (namespace: string): string => join(this.#folder, fileNameOf(namespace))

  #pathOf = (namespace: string, name: string): string =>
    join(this.#folderOf(namespace), fileNameOf(name) + SUFFIX)
}

/** On some file systems `Kit` and `kit` are the same name, so capitals are written as `~k`. */
function fileNameOf(name: string): string {
  if (!/^[\w-]{1,64}$/.test(name)) {
    throw new ApiError('invalid_parameter', 'A name must be 1 to 64 of A-Z a-z 0-9 _ -.')
  }
  return name.replace(/[A-Z]/g, (capital) => `~${capital.toLowerCase()}`)
}

const nameOf = (file: string): string =>
  file.slice(0, -SUFFIX.length).replace(/~(.)/g, (_, letter: string) => letter.toUpperCase())

/** Undefined if a file is missing; rejects with a 503 ApiError for any other failure. */
async function unlessMissing<T>(failure: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (isMissing(error)) return undefined
    throw unavailable(failure, error)
  }
}

const unavailable = (failure: string, error: unknown): ApiError =>
  new ApiError('service_unavailable', `${failure} ${reasonOf(error)}`)

const placeOf = (error: unknown): string =>
  error instanceof DataFileError
    ? `${error.file}${error.line === undefined ? '' : `, line ${error.line}`}: ${error.reason}`
    : reasonOf(error)

/** The text of a snapshot, which is a fixture, in small slices. */
function* snapshotText({ pets, keys }: SnapshotContent): Generator<string> {
  yield '{\n'
  yield* petsText(pets, '  ')
  const bare = keys.map(({ key, plan, expiresAt, revoked }) => ({ key, plan, expiresAt, revoked }))
  yield `,\n${keysText(bare, '  ')}\n}\n`
}
