import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { UsageError } from '../config/usage-error.ts'

/** Removes what an earlier start left, so that nobody who waits for the file is deceived. */
export const clearReadyFile = (file: string): void => guarded(file, () => rmSync(file, { force: true }))

/** Writes the file at once: whoever sees it sees all of it. */
export const writeReadyFile = (file: string, line: string): void =>
  guarded(file, () => {
    const draft = `${file}.${process.pid}`
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(draft, line)
    renameSync(draft, file)
  })

function guarded(file: string, act: () => void): void {
  try {
    act()
  } catch (error) {
    throw new UsageError(
      `--ready-file: ${file} cannot be written: ${(error as Error).message}. Name another file`,
    )
  }
}
