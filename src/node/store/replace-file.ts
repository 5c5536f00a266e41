import fs from 'node:fs'
import { monotonic } from '../timers.ts'
import { DataFileError } from './data-file-error.ts'

/** The characters written in one slice. They take a few milliseconds; then the event loop runs. */
const SLICE = 128 * 1024
/** Readable by their owner only, because files may contain keys. */
export const PRIVATE = 0o600

/** A file was not written before its deadline. */
export class OutOfTime extends Error {}

export interface ReplaceOptions {
  /** The modification time to set, in milliseconds since the epoch. */
  readonly modified?: number
  /** The deadline, as of monotonic(). It may be set during the write, and is therefore read for each slice. */
  readonly deadline?: () => number
  /** Throws if the file must not be replaced. */
  readonly check?: () => void
}

/** A text that changes when the file is written or replaced. */
export const stampOf = ({ ino, mtimeMs, size }: fs.Stats): string => `${ino} ${mtimeMs} ${size}`

/** Undefined if the file is missing or cannot be looked at. */
export function stampAt(path: string): string | undefined {
  try {
    return stampOf(fs.statSync(path))
  } catch {
    return undefined
  }
}

/** Throws for what is there but no file: reading a pipe would wait for ever. */
export function checkRegular(path: string, advice = 'Move it away'): void {
  if (fs.statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new DataFileError(path, 'it is not a regular file', advice)
}

/** An unused name in the folder of a file. */
export function nameBeside(path: string): string {
  let name = `${path}.bak`
  for (let copy = 2; fs.existsSync(name); copy++) name = `${path}.${copy}.bak`
  return name
}

/** The file that gets the new content first. */
export const temporaryPath = (path: string): string => `${path}.tmp`

/**
 * Writes a temporary file and renames it to `path`: a reader finds either the old or the new content, also after a
 * crash. The mode of the file is kept. Resolves to its size in bytes.
 */
export async function replaceFile(
  path: string,
  parts: Iterable<string>,
  { modified, deadline = () => Infinity, check = () => {} }: ReplaceOptions = {},
): Promise<number> {
  const temporary = temporaryPath(path)
  check()
  try {
    const size = await writeFile(temporary, path, parts, deadline)
    if (modified !== undefined) await fs.promises.utimes(temporary, modified / 1000, modified / 1000)
    check()
    await rename(temporary, path)
    return size
  } catch (error) {
    await remove(temporary, check)
    throw error
  }
}

async function writeFile(path: string, replaced: string, parts: Iterable<string>, deadline: () => number) {
  // An existing file or link is removed, not written through.
  await fs.promises.rm(path, { force: true }).catch(() => {})
  const handle = await fs.promises.open(path, 'wx', PRIVATE)
  try {
    const mode = fs.statSync(replaced, { throwIfNoEntry: false })?.mode
    if (mode !== undefined) await handle.chmod(mode & 0o777)
    for (const slice of slices(parts)) {
      if (monotonic() > deadline()) throw new OutOfTime(path)
      await handle.writeFile(slice)
    }
    // Otherwise a power failure could leave an empty file under the new name, with the old content lost.
    if (deadline() === Infinity) await handle.datasync()
    return (await handle.stat()).size
  } finally {
    await handle.close()
  }
}

/** Some file systems report a failure although they renamed the file: then the new content is valid. */
async function rename(temporary: string, path: string): Promise<void> {
  try {
    await fs.promises.rename(temporary, path)
  } catch (error) {
    if (fs.lstatSync(temporary, { throwIfNoEntry: false })) throw error
  }
}

async function remove(temporary: string, check: () => void): Promise<void> {
  try {
    // If the check throws, the file may belong to another process now.
    check()
    await fs.promises.rm(temporary, { force: true })
  } catch {}
}

function* slices(parts: Iterable<string>): Generator<string> {
  let slice = ''
  for (const part of parts) {
    slice += part
    if (slice.length < SLICE) continue
    yield slice
    slice = ''
  }
  yield slice
}
