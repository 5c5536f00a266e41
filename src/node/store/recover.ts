import { isUtf8 } from 'node:buffer'
import fs from 'node:fs'
import { dirname } from 'node:path'
import type { StoredNamespace } from '../../world/store.ts'
import { isUtf16, notText } from '../files/not-text.ts'
import { type DataFileAdapter, NOTHING, type ReadDataFile } from './data-file.ts'
import {
  DataFileError,
  damagedLog,
  editedDataFile,
  foreignLog,
  missingDataFile,
  notDataFile,
  reasonOf,
  type Warn,
} from './data-file-error.ts'
import { type ClosedLog, logPath } from './log-files.ts'
import { isBeginning, type Position, readHeader, readLine } from './log-lines.ts'
import { LogState } from './log-state.ts'
import { checkRegular, nameBeside } from './replace-file.ts'
import { type PetReader, ValidationError } from './validation.ts'

/** The stored state that a start has read, and the position of the last change. */
export interface Recovered extends Position {
  readonly found: ReadonlyMap<string, StoredNamespace>
  /** Files of the log that can be removed when the data file is rewritten. */
  readonly logs: readonly ClosedLog[]
  /** Dropped namespaces, each with its time in milliseconds since the epoch. */
  readonly dropped: ReadonlyMap<string, number>
}

export interface RecoverOptions {
  readonly reader: PetReader
  readonly warn: Warn
  /** A random 32-bit number: the first checksum of a new history. */
  readonly newMark: number
  /** Reads the data file without its log, which is renamed, so that no start reads it. */
  readonly acceptDataFile: boolean
}

/** One file of the change log. It begins after the change with the number `base`, which is in its name. */
interface LogName {
  readonly path: string
  readonly base: number
}

/** The files of the change log, oldest first. */
function logsOf(file: string): LogName[] {
  const names = fs.readdirSync(dirname(file), { encoding: 'utf8' })
  const bases = names.flatMap((name) => /\.(\d+)\.log$/.exec(name)?.[1] ?? []).map(Number)
  // Not by name: some file systems ignore case, or store other code points for the same letter.
  return [...new Set(bases)]
    .sort((a, b) => a - b)
    .map((base) => ({ path: logPath(file, base), base }))
    .filter(({ path }) => fs.existsSync(path))
}

/**
 * Reads the data file and every change after it. Files are changed only after everything was read and is valid. Rejects
 * with a DataFileError.
 */
export async function recover(
  file: string,
  adapter: DataFileAdapter,
  { reader, warn, newMark, acceptDataFile }: RecoverOptions,
): Promise<Recovered> {
  const present = logsOf(file)
  const data = await readData(file, adapter, present)
  if (!data && acceptDataFile && present[0]) throw missingDataFile(file, present[0].path)
  const ended = data?.isFresh ? present.filter(({ base }) => base < data.seq) : []
  const reads = acceptDataFile ? [] : present.slice(ended.length).map(readLog)
  const state = new LogState(data?.seq ?? 0, data?.namespaces ?? NOTHING.namespaces, reader)
  const end = applyLogs(file, reads, state, data)
  if (acceptDataFile && present.length > 0) {
    const kept = present.map(({ path }) => {
      const aside = nameBeside(path)
      fs.renameSync(path, aside)
      return aside
    })
    warn(`${file} is used without its log, which is kept as ${kept.join(', ')}.`)
  } else if (data?.isEdited && state.seq === data.seq)
    warn(`${file} was changed since the sandbox wrote it, and is used as it is now.`)
  for (const read of reads) cutOffEnd(read, warn)
  return {
    found: state.found,
    seq: state.seq,
    mark: (state.seq === data?.seq ? data.mark : end?.mark) ?? newMark,
    logs: [...(acceptDataFile ? [] : ended.map(asEnded)), ...reads.filter(({ size }) => size > 0)],
    dropped: state.dropped,
  }
}

/** The file may belong to another program and be named by mistake, so the message does not propose --fresh. */
async function readData(file: string, adapter: DataFileAdapter, logs: readonly LogName[]) {
  try {
    return (await adapter.read()) ?? undefined
  } catch (error) {
    if (!(error instanceof DataFileError) || logs.length > 0 || seemsDataFile(file)) throw error
    throw notDataFile(file, error)
  }
}

/** A file of the log that was read: the size of its complete lines in bytes, or 0 if it has no change. */
interface LogRead extends LogName, ClosedLog {
  readonly lines: readonly string[]
  readonly isCut: boolean
}

/** Only the newest file may end within a line, as after a crash. Throws a DataFileError. */
function readLog({ path, base }: LogName, index: number, all: readonly LogName[]): LogRead {
  checkRegular(path)
  const bytes = fs.readFileSync(path)
  let size = bytes.lastIndexOf('\n') + 1
  const cut = bytes.toString('latin1', size)
  const complete = bytes.subarray(0, size)
  // Not for a NUL: the checksum of its line finds it.
  const fault = isUtf8(complete) ? undefined : notText(complete)
  if (fault) throw damagedLog(path, fault.reason, fault.line)
  // Line by line: a whole log can be longer than the longest string.
  const lines: string[] = []
  for (let start = 0, end: number; start < size; start = end) {
    end = bytes.indexOf('\n', start) + 1
    lines.push(bytes.toString('utf8', start, end - 1))
  }
  const last = lines.at(-1) ?? ''
  // An editor may have added a newline to an incomplete line.
  if (cut === '' && isBeginning(last) && !last.endsWith('}')) size -= Buffer.byteLength(lines.pop() ?? '') + 1
  if (cut !== '' && !isBeginning(cut)) {
    const reason = cut.includes('\0') ? ZEROS : 'this line was changed after it was written'
    throw damagedLog(path, reason, lines.length + 1)
  }
  const isCut = size < bytes.length
  if (isCut && index < all.length - 1)
    throw damagedLog(path, 'the end of the log is cut off, but a newer log follows', lines.length)
  return { path, base, lines, size: lines.length > 1 ? size : 0, isCut }
}

const ZEROS =
  'only zeros follow, as after a power cut or on a damaged disk: changes that were confirmed may be lost'

/**
 * Applies the changes that are newer than the data file. The lines of all files must continue each other and the data
 * file. Returns the position of the last line. Throws a DataFileError.
 */
function applyLogs(file: string, logs: readonly LogRead[], state: LogState, data?: ReadDataFile) {
  const from = state.seq
  const refusal = (path: string, line?: number) => {
    if (!data) return missingDataFile(file, path)
    return data.isEdited ? editedDataFile(file, path) : foreignLog(path, file, line)
  }
  let end: Position | undefined
  for (const { path, base, lines } of logs) {
    for (const [index, text] of lines.entries()) {
      try {
        if (index === 0) {
          const begin = readHeader(text)
          // After an edit of the data file, the log continues from the checksum of the edited content.
          const joins =
            end === undefined
              ? begin.seq <= from
              : begin.seq === end.seq && (begin.mark === end.mark || begin.seq === from)
          if (begin.seq !== base || !joins) throw refusal(path, 1)
          end = begin
        } else {
          const before = end as Position
          const { line, mark } = readLine(text, before.mark)
          end = { seq: Number(line.seq), mark }
          if (state.seq > from || !(end.seq <= from)) {
            if (data && before.seq === from && before.mark !== data.mark) throw refusal(path, 1)
            state.take(line)
          }
        }
        const isKnown = !data || end.seq !== from || end.mark === data.mark || end.mark === data.written
        if (!isKnown) throw refusal(path, index + 1)
      } catch (error) {
        if (error instanceof DataFileError) throw error
        const { fix } = error instanceof ValidationError ? error : {}
        throw damagedLog(path, reasonOf(error), index + 1, fix)
      }
    }
  }
  if (end && end.seq < from) throw refusal(logs.at(-1)?.path ?? file)
  return end
}

/** Reads nothing. Existing files stay until the first data file is written. */
export function startFresh(file: string, newMark: number): Recovered {
  const logs = logsOf(file)
  if (logs.length === 0 && fs.existsSync(file) && !seemsDataFile(file)) throw notDataFile(file)
  // Higher than the start of every existing file of the log: the position in the data file then excludes them.
  const seq = (logs.at(-1)?.base ?? 0) + 1
  return { found: new Map(), seq, mark: newMark, logs: logs.map(asEnded), dropped: new Map() }
}

/** Whether a file seems to be a data file of the sandbox, possibly a damaged or empty one, and not of another program. */
function seemsDataFile(file: string): boolean {
  const start = Buffer.alloc(64 * 1024)
  const handle = fs.openSync(file, 'r')
  try {
    const head = start.toString('latin1', 0, fs.readSync(handle, start))
    const text = isUtf16(start) ? head.replaceAll('\0', '') : head
    return head === '' || (/"version"\s*:\s*\d/.test(text) && /"namespaces"\s*:/.test(text))
  } finally {
    fs.closeSync(handle)
  }
}

const asEnded = ({ path }: LogName): ClosedLog => ({ path, size: fs.statSync(path).size, isEnded: true })

/** Removes an incomplete last line, which a crash leaves, and an empty file. */
function cutOffEnd({ path, size, lines, isCut }: LogRead, warn: Warn): void {
  const how = isCut ? 'cut off in its first line' : 'empty'
  if (lines.length === 0)
    warn(
      `${path}: this log was ${how}. Unless a crash or a full disk left it so, confirmed changes are lost.`,
    )
  else if (isCut)
    warn(
      `${path}: the last line was cut off, as a crash leaves it. It was dropped; it had never been confirmed.`,
    )
  if (size === 0) fs.rmSync(path)
  else if (isCut) fs.truncateSync(path, size)
}
