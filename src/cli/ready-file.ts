import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { UsageError } from '../config/usage-error.ts'
import { makeFolder } from '../store/make-folder.ts'

/** More than the one line of a ready file can be long, in bytes. */
const LONGEST = 4096

/**
 * Removes what an earlier start left, so that nobody who waits for the file is deceived. What is not a ready file
 * stays as it is: throws a UsageError.
 */
export function clearReadyFile(file: string): void {
  const found = guarded(file, () => lstatSync(file, { throwIfNoEntry: false }))
  if (!found) return
  if (
    !found.isFile() ||
    found.size > LONGEST ||
    !isReadyLine(guarded(file, () => readFileSync(file, 'utf8')))
  ) {
    throw new UsageError(
      `--ready-file: ${file} is there already and is not a ready file, so it stays as it is. Name another file, or remove that one`,
    )
  }
  guarded(file, () => rmSync(file, { force: true }))
}

/** Writes the file atomically: a reader never sees a part of it. It is removed when the process ends. */
export function writeReadyFile(file: string, line: string): void {
  guarded(file, () => {
    const draft = `${file}.${process.pid}`
    makeFolder(dirname(file))
    writeFileSync(draft, line)
    renameSync(draft, file)
  })
  process.once('exit', () => removeOwn(file, line))
}

/** Another start may have taken its place. */
function removeOwn(file: string, line: string): void {
  try {
    if (readFileSync(file, 'utf8') === line) rmSync(file, { force: true })
  } catch {
    // It is gone already, or stays where nothing can be removed.
  }
}

/** Empty as mktemp makes it, or the event that a start writes. */
function isReadyLine(text: string): boolean {
  if (text === '') return true
  try {
    return (JSON.parse(text) as { event?: unknown } | null)?.event === 'ready'
  } catch {
    return false
  }
}

function guarded<T>(file: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw new UsageError(
      `--ready-file: ${file} cannot be written: ${(error as Error).message}. Name another file`,
    )
  }
}
