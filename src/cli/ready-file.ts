import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { UsageError } from '../config/usage-error.ts'
import { makeFolder } from '../node/store/make-folder.ts'
import { errorMessage } from '../text/error.ts'

/** The line of a ready file is shorter than this, in bytes. */
const LONGEST = 4096

/**
 * Removes the ready file of an earlier start, so that a waiting program does not read it. Throws a UsageError, and
 * removes nothing, if the file is not a ready file.
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
      `--ready-file: ${file} exists and is not a ready file, so it is not overwritten`,
      'Use another file, or remove this one',
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

/** Removes the file unless another start has replaced it. */
function removeOwn(file: string, line: string): void {
  try {
    if (readFileSync(file, 'utf8') === line) rmSync(file, { force: true })
  } catch {
    // The file was already removed, or the folder is not writable.
  }
}

/** True for an empty file, which mktemp creates, and for the event that a start writes. */
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
      `--ready-file: ${file} cannot be written: ${errorMessage(error)}`,
      'Use another file',
    )
  }
}
