import { AdvisedError } from '../../text/advised-error.ts'
import { fileReason } from '../../text/file-reason.ts'

/** A data file, change log or lock that prevents a start. The message is for users. */
export class DataFileError extends AdvisedError {
  override readonly name = 'DataFileError'
  /** The data file or the change log. */
  readonly file: string
  readonly line: number | undefined
  readonly reason: string
  constructor(file: string, line: number | undefined, reason: string, advice: string) {
    super(`${file}${line === undefined ? '' : `, line ${line}`}: ${reason}`, advice)
    this.file = file
    this.line = line
    this.reason = reason
  }
}

/** Another process uses the file. */
export class DataFileInUseError extends DataFileError {}

/** A file with invalid content. */
export const unreadable = (file: string, line: number | undefined, reason: string): DataFileError =>
  new DataFileError(
    file,
    line,
    reason,
    'Nothing was changed. Correct the file, start with the --overlay that it was written with, take another with --db <file>, or start anew with --fresh',
  )

/** A log with invalid content. Its checksums allow no correction. */
export const damagedLog = (log: string, line: number, reason: string): DataFileError =>
  new DataFileError(log, line, reason, `Nothing was changed. Put back an undamaged copy, or ${ACCEPT}`)

const ACCEPT =
  'start with --accept-data-file to go on from the data file without its log, which is kept as .bak'

/** A log that contradicts the data file, or does not continue it. */
export const foreignLog = (log: string, line: number | undefined, file: string): DataFileError =>
  new DataFileError(
    log,
    line,
    `this log does not belong to ${file} as it is: its changes do not continue the data file`,
    `Nothing was changed. Put back the file that belongs to it, or ${ACCEPT}`,
  )

/** A data file that is missing although its log is there. */
export const missingAbove = (file: string, log: string): DataFileError =>
  new DataFileError(
    file,
    undefined,
    `it is missing, while its log (${log}) is there`,
    'Nothing was changed. Put it back, take another file with --db <file>, or start anew with --fresh',
  )

/** A data file that was edited although its log has newer changes. */
export const editedBelow = (file: string, log: string): DataFileError =>
  new DataFileError(
    file,
    undefined,
    `it was changed after the sandbox wrote it, while its log (${log}) holds changes that are newer`,
    `Nothing was changed. Put it back as it was, or ${ACCEPT}`,
  )

/** A file that is not a data file; `found`: the first invalid content. */
export const notOurs = (file: string, found?: DataFileError): DataFileError =>
  new DataFileError(
    file,
    found?.line,
    `${found ? `${found.reason}; ` : ''}this file is there already, and it is not a data file of petstore-sandbox`,
    'Nothing was changed. Take another file with --db <file>, or remove this one yourself',
  )

/** The message of an error, such as "ENOSPC: no space left on device, write". */
export function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return `this is not JSON: ${error.message}`
  return fileReason(error)
}
