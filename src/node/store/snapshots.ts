import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { errorCode, isMissing } from '../../text/error.ts'
import { oneByOne } from '../../time/eventually.ts'
import type { Slices } from '../../time/slices.ts'
import { ApiError } from '../../world/api-error.ts'
import { NAMESPACE_FORM } from '../../world/keys/bearer-token.ts'
import type { CompleteFixture } from '../../world/pets/fixture.ts'
import { oldestFirst, type SnapshotContent, type SnapshotInfo, type Snapshots } from '../../world/store.ts'
import { makeFolder } from '../files/make-folder.ts'
import { keysText, petsText } from './data-file.ts'
import { DataFileError, reasonOf, type Warn } from './data-file-error.ts'
import { readJsonFile } from './read-json.ts'
import { replaceFile, stampOf } from './replace-file.ts'
import { type PetReader, snapshotOf } from './validation.ts'

const SUFFIX = '.json'
/** Errors of limits of the process or the machine. */
const LIMITS: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'])

/**
 * Snapshots as fixture files: `<folder>/<namespace>/<name>.json`. The time of a snapshot is the modification time of
 * its file. `check` throws if writing is not allowed (any more).
 */
export function fileSnapshots(
  root: string,
  reader: PetReader,
  slices: Slices,
  check: () => void,
  warn: Warn,
) {
  /** The number of pets in each file, valid while the file is unchanged. */
  const counts = new Map<string, { readonly stamp: string; readonly pets: number }>()
  /** Files are written one after the other. */
  const saving = oneByOne()
  const folderOf = (namespace: string): string => join(root, fileNameOf(namespace))
  const pathOf = (namespace: string, name: string): string =>
    join(folderOf(namespace), fileNameOf(name) + SUFFIX)
  return {
    ...({ namespaces, save, read, list, delete: remove } satisfies Snapshots),
    drop,
    /** Resolves when no snapshot is being saved. */
    settle: () => saving(() => {}),
  }

  function save(namespace: string, name: string, content: SnapshotContent, at: number) {
    return saving(async () => {
      const path = pathOf(namespace, name)
      try {
        check()
        makeFolder(folderOf(namespace))
        await replaceFile(path, snapshotText(content), { modified: at, check })
        counts.set(path, { stamp: stampOf(fs.statSync(path)), pets: content.pets.size })
        return { name, at, pets: content.pets.size }
      } catch (error) {
        throw unavailable(`The snapshot ${name} could not be saved.`, error)
      }
    })
  }

  async function read(namespace: string, name: string): Promise<CompleteFixture | undefined> {
    const path = pathOf(namespace, name)
    try {
      return await readJsonFile(path, () => (value) => snapshotOf(value, reader), slices)
    } catch (error) {
      if (isMissing(error)) return undefined
      const failure = `The snapshot ${name} cannot be read.`
      // The reason is not the file.
      if (LIMITS.has(errorCode(error) ?? '')) throw unavailable(failure, error)
      throw new ApiError('conflict', `${failure} ${placeOf(error)}`)
    }
  }

  async function list(namespace: string): Promise<SnapshotInfo[]> {
    const failure = `The snapshots of ${namespace} cannot be read.`
    const files = await unlessMissing(failure, () => fs.promises.readdir(folderOf(namespace)))
    const names = (files ?? [])
      .filter((file) => file.endsWith(SUFFIX))
      .map((file) => nameOf(file.slice(0, -SUFFIX.length)))
      .filter((name) => NAMESPACE_FORM.test(name))
    const found = await Promise.all(names.map((name) => infoOf(namespace, name)))
    return found.filter((info) => info !== undefined).sort(oldestFirst)
  }

  /** Empty if the folder cannot be read: every list of snapshots then reports that. */
  function namespaces(): string[] {
    try {
      const folders = fs.readdirSync(root, { withFileTypes: true }).filter((each) => each.isDirectory())
      const used = folders.filter(({ name }) => fs.readdirSync(join(root, name)).length > 0)
      return used.map(({ name }) => nameOf(name)).filter((name) => NAMESPACE_FORM.test(name))
    } catch {
      return []
    }
  }

  async function remove(namespace: string, name: string): Promise<boolean> {
    const path = pathOf(namespace, name)
    const deleted = await unlessMissing(`The snapshot ${name} could not be deleted.`, async () => {
      check()
      await fs.promises.unlink(path)
      counts.delete(path)
      return true
    })
    return deleted ?? false
  }

  /** Deletes the snapshots of a namespace before `until`, in milliseconds since the epoch; never throws. */
  function drop(namespace: string, until = Infinity): void {
    const folder = folderOf(namespace)
    for (const path of counts.keys()) if (dirname(path) === folder) counts.delete(path)
    try {
      if (until === Infinity) fs.rmSync(folder, { recursive: true, force: true })
      else if (fs.existsSync(folder)) {
        const paths = fs.readdirSync(folder).map((file) => join(folder, file))
        for (const path of paths) if (savedAt(fs.statSync(path)) < until) fs.rmSync(path)
      }
    } catch (error) {
      warn(`The snapshots of ${namespace} could not be deleted: ${reasonOf(error)}`)
    }
  }

  /** Undefined if it was deleted meanwhile, or cannot be read: the others can still be used. */
  async function infoOf(namespace: string, name: string): Promise<SnapshotInfo | undefined> {
    const path = pathOf(namespace, name)
    const stat = await unlessMissing(`The snapshot ${name} cannot be read.`, () => fs.promises.stat(path))
    if (!stat) return undefined
    const [at, stamp] = [savedAt(stat), stampOf(stat)]
    const known = counts.get(path)
    if (known?.stamp === stamp) return { name, at, pets: known.pets }
    const fixture = await read(namespace, name).catch(unlessUnreadable)
    if (!fixture) return undefined
    const pets = fixture.pets.length
    counts.set(path, { stamp, pets })
    return { name, at, pets }
  }
}

/** The modification time of a file may be off by a fraction of a millisecond. */
const savedAt = ({ mtimeMs }: fs.Stats): number => Math.round(mtimeMs)

/** On some file systems `Kit` and `kit` are the same name, so capitals are written as `~k`. */
function fileNameOf(name: string): string {
  if (!NAMESPACE_FORM.test(name))
    throw new ApiError('invalid_parameter', 'A name must be 1 to 64 of A-Z a-z 0-9 _ -.')
  return name.replace(/[A-Z]/g, (capital) => `~${capital.toLowerCase()}`)
}

function unlessUnreadable(error: unknown): undefined {
  if (!(error instanceof ApiError && error.code === 'conflict')) throw error
}

const nameOf = (fileName: string): string =>
  fileName.replace(/~(.)/g, (_, letter: string) => letter.toUpperCase())

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

const placeOf = (error: unknown): string => (error instanceof DataFileError ? error.problem : reasonOf(error))

/** The text of a snapshot, which is a fixture, in small slices. */
function* snapshotText({ pets, keys }: SnapshotContent): Generator<string> {
  yield '{\n'
  yield* petsText(pets, '  ')
  yield `,\n${keysText(keys, '  ')}\n}\n`
}
