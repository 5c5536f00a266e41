/** The data file, its change log or its lock stands in the way of a start. The message is for people. */
export class DataFileError extends Error {
  override readonly name = 'DataFileError'
  /** The file that is meant, which may be a change log. */
  readonly file: string
  readonly line: number | undefined
  readonly reason: string
  constructor(file: string, line: number | undefined, reason: string, advice: string) {
    super(`${file}${line === undefined ? '' : `, line ${line}`}: ${reason}. ${advice}`)
    this.file = file
    this.line = line
    this.reason = reason
  }
}

/** A file that holds something else than it should. */
export const unreadable = (file: string, line: number | undefined, reason: string): DataFileError =>
  new DataFileError(
    file,
    line,
    reason,
    'Nothing was changed. Correct the file, take another with --db <file>, or start anew with --fresh',
  )

/** What went wrong, in a few words, such as "ENOSPC: no space left on device, write". */
export function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return `this is not JSON: ${error.message}`
  return error instanceof Error ? error.message : String(error)
}

/** True where a file is not there. */
export const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'
