import fs from 'node:fs'

/** Characters written at a time: work of a few milliseconds, between which others get their turn. */
const SLICE = 128 * 1024

/** Thrown where a file was not finished in time. */
export class OutOfTime extends Error {}

/**
 * Writes a file beside `path` and then puts it in its place: whoever looks finds the old content or the new,
 * also after a crash. Resolves to its size in bytes. `deadline` (as of performance.now()) is asked again and
 * again, as it may be set meanwhile; `modified` is the time that the file is to show, in milliseconds.
 */
export async function replaceFile(
  path: string,
  pieces: Iterable<string>,
  { modified, deadline = () => Infinity }: { modified?: number; deadline?: () => number } = {},
): Promise<number> {
  const temporary = `${path}.tmp`
  try {
    const size = await writeFile(temporary, pieces, deadline)
    if (modified !== undefined) await fs.promises.utimes(temporary, modified / 1000, modified / 1000)
    await fs.promises.rename(temporary, path)
    return size
  } catch (error) {
    await fs.promises.rm(temporary, { force: true }).catch(() => {})
    throw error
  }
}

async function writeFile(path: string, pieces: Iterable<string>, deadline: () => number): Promise<number> {
  const handle = await fs.promises.open(path, 'w')
  try {
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
