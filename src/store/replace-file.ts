import fs from 'node:fs'

/** Characters written at a time: work of a few milliseconds, between which others get their turn. */
const SLICE = 128 * 1024
/** Files of ours may hold keys: nobody else reads them. */
export const PRIVATE = 0o600

/** Thrown where a file was not finished in time. */
export class OutOfTime extends Error {}

export interface ReplaceOptions {
  /** The time that the file is to show, in milliseconds. */
  readonly modified?: number
  /** When it has to be done, as of performance.now(). Asked again and again, as it may be set meanwhile. */
  readonly deadline?: () => number
  /** Throws where the file must not be replaced. */
  readonly check?: () => void
}

/**
 * Writes a file beside `path` and then puts it in its place: a reader finds the old content or the new,
 * also after a crash. Its mode stays. Resolves to its size in bytes.
 */
export async function replaceFile(
  path: string,
  pieces: Iterable<string>,
  { modified, deadline = () => Infinity, check = () => {} }: ReplaceOptions = {},
): Promise<number> {
  const temporary = `${path}.tmp`
  check()
  try {
    const size = await writeFile(temporary, path, pieces, deadline)
    if (modified !== undefined) await fs.promises.utimes(temporary, modified / 1000, modified / 1000)
    check()
    await fs.promises.rename(temporary, path)
    return size
  } catch (error) {
    await remove(temporary, check)
    throw error
  }
}

async function writeFile(
  path: string,
  replaced: string,
  pieces: Iterable<string>,
  deadline: () => number,
): Promise<number> {
  const handle = await fs.promises.open(path, 'w', PRIVATE)
  try {
    const mode = fs.statSync(replaced, { throwIfNoEntry: false })?.mode
    if (mode !== undefined) await handle.chmod(mode & 0o777)
    for (const slice of slices(pieces)) {
      if (performance.now() > deadline()) throw new OutOfTime(path)
      await handle.writeFile(slice)
    }
    // Against a power cut, which could leave the new name with nothing behind it and the old content gone.
    if (deadline() === Infinity) await handle.datasync()
    return (await handle.stat()).size
  } finally {
    await handle.close()
  }
}

async function remove(temporary: string, check: () => void): Promise<void> {
  try {
    // Where the check fails it may be another's by now.
    check()
    await fs.promises.rm(temporary, { force: true })
  } catch {}
}

function* slices(pieces: Iterable<string>): Generator<string> {
  let slice = ''
  for (const piece of pieces) {
    slice += piece
    if (slice.length < SLICE) continue
    yield slice
    slice = ''
  }
  yield slice
}
