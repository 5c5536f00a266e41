import { isUtf8 } from 'node:buffer'
import fs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { StoredNamespace } from '../../world/stored.ts'
import { type DataFileAdapter, NOTHING, type ReadDataFile, SEQ_MAX } from './data-file.ts'
import { DataFileError, editedBelow, foreignLog, notOurs, reasonOf, unreadable } from './data-file-error.ts'
import type { ClosedLog } from './log-files.ts'
import { isBeginning, type Position, positionIn, readHeader, readLine } from './log-lines.ts'
import { badLineOf } from './read-json.ts'
import { LogReplay } from './replay.ts'
import type { PetReader } from './validation.ts'

/** The state at a start: the position of the last change, and what is stored. */
export interface Recovered extends Position {
  readonly found: ReadonlyMap<string, StoredNamespace>
  /** Files of the log that can be removed when the data file is rewritten. */
  readonly logs: readonly ClosedLog[]
  /** Whether some of them belong to an earlier history, which a fresh start ended. */
  readonly isFresh: boolean
  /** Dropped namespaces, each with its time in milliseconds since the epoch. */
  readonly dropped: ReadonlyMap<string, number>
}

export interface RecoverOptions {
  readonly reader: PetReader
  readonly warn: (message: string) => void
  /** The first mark of a new history. */
  readonly newMark: number
}

/** One file of the change log. It begins after the change with the number `base`, which is in its name. */
interface LogName {
  readonly path: string
  readonly base: number
}

export const logPath = (file: string, base: number): string => `${file}.${base}.log`

/** The files of the change log, oldest first. */
function logsOf(file: string): LogName[] {
  const prefix = `${basename(file)}.`
  return fs
    .readdirSync(dirname(file), { encoding: 'utf8' })
    .flatMap((name) => {
      const base = name.startsWith(prefix) ? /^(\d+)\.log$/.exec(name.slice(prefix.length))?.[1] : undefined
      return base === undefined ? [] : [{ path: join(dirname(file), name), base: Number(base) }]
    })
    .sort((a, b) => a.base - b.base)
}

/**
 * Reads the data file and every change after it: the data file is written at a point at which a file of the log begins,
 * so that older ones hold nothing newer. Files are changed only after everything was read and is valid. Rejects with a
 * DataFileError.
 */
export async function recover(
  file: string,
  adapter: DataFileAdapter,
  { reader, warn, newMark }: RecoverOptions,
): Promise<Recovered> {
  const logs = logsOf(file)
  const data = await readData(file, adapter, logs)
  const older = logs.filter(({ base }) => base < (data?.seq ?? 0))
  const newer = logs.slice(older.length)
  const last = older.at(-1)
  if (data && last && !data.isFresh) checkEnd(file, last, data)
  const replay = new LogReplay(data?.seq ?? 0, data?.namespaces ?? NOTHING.namespaces, reader)
  const reads: LogRead[] = []
  let mark = data?.mark
  for (const [index, log] of newer.entries()) {
    const content = readLog(log, index === newer.length - 1)
    mark = replayLog(file, log, content.lines, replay, index === 0 ? data : undefined, mark)
    reads.push(content)
  }
  if (data?.isEdited && replay.seq === data.seq)
    warn(`${file}: it was changed since the sandbox wrote it, and is taken as it is now.`)
  for (const read of reads) tidy(read, warn)
  return {
    found: replay.found,
    seq: replay.seq,
    mark: mark ?? newMark,
    logs: [...sized(older), ...reads.filter(({ size }) => size > 0)],
    isFresh: data?.isFresh === true && older.length > 0,
    dropped: replay.dropped,
  }
}

/** The file may belong to another program and be named by mistake, so the message does not propose --fresh. */
async function readData(
  file: string,
  adapter: DataFileAdapter,
  logs: readonly LogName[],
): Promise<ReadDataFile | undefined> {
  try {
    return (await adapter.read()) ?? undefined
  } catch (error) {
    if (!(error instanceof DataFileError) || logs.length > 0 || looksOurs(file)) throw error
    throw notOurs(file, error)
  }
}

/** The last older file of the log has to end where the data file was written. */
function checkEnd(file: string, { path }: LogName, data: ReadDataFile): void {
  const end = positionIn(fs.readFileSync(path, 'utf8').split('\n').at(-2) ?? '')
  if (end?.seq !== data.seq || (end.mark !== data.mark && end.mark !== data.written))
    throw data.isEdited ? editedBelow(file, path) : foreignLog(path, undefined, file)
}

/** A file of the log that was read: the size of its complete lines in bytes, or 0 if it holds no change. */
interface LogRead extends ClosedLog {
  readonly lines: readonly string[]
  readonly isCut: boolean
}

/** Only the newest file may end within a line, as after a crash. Throws a DataFileError. */
function readLog({ path }: LogName, isNewest: boolean): LogRead {
  const bytes = fs.readFileSync(path)
  let size = bytes.lastIndexOf('\n') + 1
  const cut = bytes.toString('latin1', size)
  if (!isUtf8(bytes.subarray(0, size))) throw unreadable(path, badLineOf(bytes), 'this is not UTF-8')
  const lines = bytes.toString('utf8', 0, size).split('\n').slice(0, -1)
  const last = lines.at(-1) ?? ''
  // An editor may have added a newline to a line that is cut off.
  if (cut === '' && isBeginning(last) && !last.endsWith('}')) size -= Buffer.byteLength(lines.pop() ?? '') + 1
  if (cut !== '' && !isBeginning(cut)) {
    const reason = cut.includes('\0') ? ZEROS : 'this line was changed after it was written'
    throw unreadable(path, lines.length + 1, reason)
  }
  const isCut = size < bytes.length
  if (isCut && !isNewest)
    throw unreadable(path, lines.length, 'the end of the log is cut off, but a newer log follows')
  return { path, lines, size: lines.length > 1 ? size : 0, isCut }
}

const ZEROS =
  'what follows is zeros, as a power cut or a damaged disk leaves them: changes that were confirmed may be lost'

/**
 * Replays a file of the log, which has to begin where everything before it ends. `data`: the data file, where that is
 * before it. Returns the mark after the last line. Throws a DataFileError.
 */
function replayLog(
  file: string,
  { path, base }: LogName,
  lines: readonly string[],
  replay: LogReplay,
  data: ReadDataFile | undefined,
  before: number | undefined,
): number | undefined {
  let mark = before
  for (const [index, text] of lines.entries()) {
    try {
      if (index === 0) {
        const header = readHeader(text)
        const isEdited = data?.isEdited && header.mark === data.written
        if (
          header.seq !== base ||
          base !== replay.seq ||
          (mark !== undefined && mark !== header.mark && !isEdited)
        )
          throw data?.isEdited ? editedBelow(file, path) : foreignLog(path, 1, file)
        if (isEdited && lines.length > 1) throw editedBelow(file, path)
        mark = isEdited ? mark : header.mark
      } else {
        const { line, mark: next } = readLine(text, mark as number)
        replay.take(line)
        mark = next
      }
    } catch (error) {
      if (error instanceof DataFileError) throw error
      throw unreadable(path, index + 1, reasonOf(error))
    }
  }
  return mark
}

/** Reads nothing: existing files stay until the first data file is written. */
export function startFresh(file: string, newMark: number): Recovered {
  const logs = logsOf(file)
  const isThere = fs.existsSync(file)
  if (isThere && logs.length === 0 && !looksOurs(file)) throw notOurs(file)
  let seq = isThere ? highestSeqIn(file) : 0
  for (const { path, base } of logs) seq = Math.max(seq, base, highestSeqIn(path))
  return {
    found: new Map(),
    seq: seq + 1,
    mark: newMark,
    logs: sized(logs),
    isFresh: true,
    dropped: new Map(),
  }
}

/** Reads the data file only; the files of its log are renamed, so that no start reads them. */
export async function acceptDataFile(
  file: string,
  adapter: DataFileAdapter,
  { warn, newMark }: RecoverOptions,
): Promise<Recovered> {
  const data = await adapter.read()
  const logs = logsOf(file)
  if (!data && logs.length > 0)
    throw unreadable(file, undefined, 'there is no data file to accept, only its log')
  const kept = logs.map(({ path }) => setAside(path))
  if (kept.length > 0) warn(`${file} is taken without its log, which is kept as ${kept.join(', ')}.`)
  const { seq, mark, namespaces } = data ?? { ...NOTHING, mark: newMark }
  return { found: namespaces, seq, mark, logs: [], isFresh: false, dropped: new Map() }
}

/** Renames a file of the log, so that no start reads it. Returns the new name. */
function setAside(path: string): string {
  let aside = `${path}.bak`
  for (let copy = 2; fs.existsSync(aside); copy++) aside = `${path}.${copy}.bak`
  fs.renameSync(path, aside)
  return aside
}

/**
 * True if a file seems to be a data file of the sandbox, possibly a damaged or empty one; false for files of other
 * programs.
 */
function looksOurs(file: string): boolean {
  const start = Buffer.alloc(64 * 1024)
  const handle = fs.openSync(file, 'r')
  try {
    const head = start.toString('latin1', 0, fs.readSync(handle, start))
    return head === '' || (/"version"\s*:\s*1\b/.test(head) && /"namespaces"\s*:/.test(head))
  } finally {
    fs.closeSync(handle)
  }
}

/** The highest sequence number in a file, even if the file is damaged; 0 if there is none. */
function highestSeqIn(path: string): number {
  let highest = 0
  // Within a string the quotes would be escaped.
  for (const [, seq] of fs.readFileSync(path, 'latin1').matchAll(/"seq"\s*:\s*(\d+)/g)) {
    if (Number(seq) <= SEQ_MAX) highest = Math.max(highest, Number(seq))
  }
  return highest
}

const sized = (logs: readonly LogName[]): ClosedLog[] =>
  logs.map(({ path }) => ({ path, size: fs.statSync(path).size }))

/** Removes an incomplete last line, which a crash leaves. */
function tidy({ path, size, isCut }: LogRead, warn: (message: string) => void): void {
  if (isCut) {
    warn(
      `${path}: the last line was cut off, as a crash leaves it. It was dropped; it had never been confirmed.`,
    )
  }
  if (size === 0) fs.rmSync(path)
  else if (isCut) fs.truncateSync(path, size)
}
