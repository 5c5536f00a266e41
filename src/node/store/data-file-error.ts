import { AdvisedError } from '../../text/advised-error.ts'
import { fileReason } from '../../text/error.ts'

/** Receives warnings for users: problems that do not stop the store. */
export type Warn = (message: string) => void

/** A data file, change log or lock that prevents a start. The message is for users. */
export class DataFileError extends AdvisedError {
  override readonly name = 'DataFileError'
  /** The data file or the change log. */
  readonly file: string
  readonly line: number | undefined
  readonly reason: string
  constructor(file: string, reason: string, advice: string, line?: number) {
    super(`${file}${line === undefined ? '' : `, line ${line}`}: ${reason}`, advice)
    this.file = file
    this.line = line
    this.reason = reason
  }
}

/** Another process uses the file. */
export class DataFileInUseError extends DataFileError {}

const refused = (file: string, reason: string, advice: string, line?: number): DataFileError =>
  new DataFileError(file, reason, `Nothing was changed. ${advice}`, line)

/** A file with invalid content. `isPet`: it is a pet, which may have been valid with an overlay. */
export function unreadable(
  file: string,
  reason: string,
  line?: number,
  isPet = false,
  fix = 'Correct the file',
): DataFileError {
  const overlay = isPet ? 'start with the --overlay that it was written with, ' : ''
  const others = `${overlay}use another file with --db <file>, or start from the fixture with --fresh`
  return refused(file, reason, `${fix}, ${others}`, line)
}

const ACCEPT =
  'start with --accept-data-file to continue with the data file without its log, which is kept as .bak'

/** A log with invalid content. Its checksums allow no correction. */
export const damagedLog = (
  log: string,
  reason: string,
  line: number,
  fix = 'Put back an undamaged copy',
): DataFileError => refused(log, reason, `${fix}, or ${ACCEPT}`, line)

/** A log that contradicts the data file, or does not continue it. */
export function foreignLog(log: string, file: string, line?: number): DataFileError {
  const reason = `this log does not belong to ${file} as it is: its changes do not continue the data file`
  return refused(log, reason, `Put back the file that belongs to it, or ${ACCEPT}`, line)
}

/** A data file that is missing although its log is there. */
export function missingDataFile(file: string, log: string): DataFileError {
  const reason = `it is missing, while its log (${log}) is there`
  const advice = 'Put it back, use another file with --db <file>, or start from the fixture with --fresh'
  return refused(file, reason, advice)
}

/** A data file that was edited although its log has newer changes. */
export function editedDataFile(file: string, log: string): DataFileError {
  const reason = `it was changed after the sandbox wrote it, while its log (${log}) has newer changes`
  return refused(file, reason, `Put it back as it was, or ${ACCEPT}`)
}

/** A file that is not a data file; `found`: the first invalid content. */
export function notDataFile(file: string, found?: DataFileError): DataFileError {
  const why = 'this file is there already, and it is not a data file of petstore-sandbox'
  const advice =
    'Use another file with --db <file>, give a file of pets with --fixture, or remove this one yourself'
  return refused(file, found ? `${found.reason}; ${why}` : why, advice, found?.line)
}

/** The message of an error, such as "ENOSPC: no space left on device, write". */
export function reasonOf(error: unknown): string {
  if (error instanceof DataFileError) return error.reason
  if (error instanceof SyntaxError) return `this is not JSON: ${error.message}`
  return fileReason(error)
}
