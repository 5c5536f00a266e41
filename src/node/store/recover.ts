import { isUtf8 } from 'node:buffer'
import fs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { StoredNamespace } from '../../world/stored.ts'
import { type DataFileAdapter, NOTHING, type ReadDataFile, SEQ_MAX } from './data-file.ts'
import { DataFileError, editedBelow, foreignLog, notOurs, reasonOf, unreadable } from './data-file-error.ts'
import type { ClosedLog } from './log-files.ts'
import { isBeginning, type Position, readHeader, readLine } from './log-lines.ts'
import { badLineOf } from './read-json.ts'
import { LogReplay } from './replay.ts'
import type { PetReader } from './validation.ts'

/** The state at a start: the position of the last change, and what is stored. */
export interface Recovered extends Position {
  readonly found: ReadonlyMap<string, StoredNamespace>
  /** Files of the log that can be removed when the data file is rewritten. */
  readonly logs: readonly ClosedLog[]
  /** Those of them that belong to an earlier history, which a fresh start ended. */
  readonly former: readonly ClosedLog[]
  /** Dropped namespaces, each with its time in milliseconds since the epoch. */
  readonly dropped: ReadonlyMap<string, number>
  /** Namespaces that the log says only a data file held that was never written. */
  readonly unwritten: ReadonlySet<string>
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
 * Reads the data file and every newer change of the log. Files are changed only after everything was read and is valid.
 * Rejects with a DataFileError.
 */
export async function recover(
  file: string,
  adapter: DataFileAdapter,
  { reader, warn, newMark }: RecoverOptions,
): Promise<Recovered> {
  const logs = logsOf(file)
  const data = await readData(file, adapter, logs)
  const held = data?.seq ?? 0
  const first = data?.isFresh
    ? logs.filter(({ base }) => base < held).length
    : Math.max(
        0,
        logs.findLastIndex(({ base }) => base <= held),
      )
  const log = new LogReader(file, data, reader)
  const reads = logs.slice(first).map((name, index) => log.read(name, first + index === logs.length - 1))
  log.end()
  const { replay } = log
  if (data?.isEdited && replay.seq <= held)
    warn(`${file}: it was changed since the sandbox wrote it, and is taken as it is now.`)
  for (const read of reads) tidy(read, warn)
  const older = sized(logs.slice(0, first))
  return {
    found: replay.found(),
    seq: Math.max(replay.seq, held),
    mark: replay.seq > held ? log.mark : (data?.mark ?? newMark),
    logs: [...older, ...reads.filter(({ size }) => size > 0)],
    former: data?.isFresh ? older : [],
    dropped: replay.dropped,
    unwritten: replay.unwritten,
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

/** A file of the log that was read: the size of its complete lines in bytes, or 0 if it holds no change. */
interface LogRead extends ClosedLog {
  readonly isCut: boolean
}

/** Replays the log, file by file, and checks that the data file was written at a point of its history. */
class LogReader {
  readonly replay: LogReplay
  /** The mark after the last line. */
  mark: number
  readonly #file: string
  readonly #data: ReadDataFile | undefined
  readonly #reader: PetReader
  /** The current file of the log. */
  #log: LogName | undefined
  #line = 0
  #hasChanges = false
  /** The log belongs to the data file as the sandbox wrote it, not to its edited content. */
  #isOfWritten = false

  constructor(file: string, data: ReadDataFile | undefined, reader: PetReader) {
    this.replay = new LogReplay(data ?? NOTHING)
    this.mark = data?.mark ?? 0
    this.#file = file
    this.#data = data
    this.#reader = reader
  }

  /** Only the newest file may end within a line, as after a crash. Throws a DataFileError. */
  read(log: LogName, isNewest: boolean): LogRead {
    const { path } = log
    const isFirst = this.#log === undefined
    const bytes = fs.readFileSync(path)
    let size = bytes.lastIndexOf('\n') + 1
    const cut = bytes.toString('latin1', size)
    if (!isUtf8(bytes.subarray(0, size))) throw unreadable(path, badLineOf(bytes), 'this is not UTF-8')
    const lines = bytes.toString('utf8', 0, size).split('\n').slice(0, -1)
    const last = lines.at(-1) ?? ''
    // An editor may have added a newline to a line that is cut off.
    if (cut === '' && isBeginning(last) && !last.endsWith('}'))
      size -= Buffer.byteLength(lines.pop() ?? '') + 1
    this.#log = log
    this.#line = 0
    if (isFirst) this.replay.seq = Math.min(log.base, this.replay.seq)
    for (const text of lines) this.#takeLine(text, isFirst)
    if (cut !== '' && !isBeginning(cut))
      throw unreadable(
        path,
        lines.length + 1,
        cut.includes('\0') ? ZEROS : 'this line was changed after it was written',
      )
    if (size < bytes.length && !isNewest)
      throw unreadable(path, lines.length, 'the end of the log is cut off, but a newer log follows')
    return { path, size: lines.length > 1 ? size : 0, isCut: size < bytes.length }
  }

  /** All was read. Throws a DataFileError. */
  end(): void {
    if (!this.#hasChanges) return
    if (this.#data && this.replay.seq < this.#data.seq) throw this.#foreign()
    if (this.#data && this.replay.seq > this.#data.seq && this.#isOfWritten) throw this.#refusal()
  }

  #takeLine(text: string, isFirst: boolean): void {
    this.#line++
    try {
      if (this.#line === 1) this.#takeHeader(readHeader(text), isFirst)
      else {
        const { line, mark } = readLine(text, this.mark, this.#reader)
        this.replay.take(line)
        this.mark = mark
        this.#hasChanges = true
      }
      this.#join()
    } catch (error) {
      if (error instanceof DataFileError) throw error
      throw unreadable(this.#log?.path ?? '', this.#line, reasonOf(error))
    }
  }

  #takeHeader({ seq, mark }: Position, isFirst: boolean): void {
    if (seq !== this.#log?.base || (!isFirst && mark !== this.mark)) throw this.#foreign(1)
    if (this.#data && isFirst && seq > this.#data.seq) throw this.#refusal(1)
    if (isFirst) this.mark = mark
  }

  /** The point at which the data file was written has to be one of the log. */
  #join(): void {
    if (this.replay.seq !== this.#data?.seq) return
    const fits = this.mark === this.#data.mark
    if (!fits && this.mark !== this.#data.written) throw this.#foreign(this.#line)
    this.#isOfWritten = !fits
  }

  #refusal = (line?: number): DataFileError =>
    this.#data?.isEdited ? editedBelow(this.#file, this.#log?.path ?? '') : this.#foreign(line)

  #foreign = (line?: number): DataFileError => foreignLog(this.#log?.path ?? '', line, this.#file)
}

const ZEROS =
  'what follows is zeros, as a power cut or a damaged disk leaves them: changes that were confirmed may be lost'

/** Reads nothing: existing files stay until the first data file is written. */
export function startFresh(file: string, newMark: number): Recovered {
  const logs = logsOf(file)
  const isThere = fs.existsSync(file)
  if (isThere && logs.length === 0 && !looksOurs(file)) throw notOurs(file)
  let seq = isThere ? highestSeqIn(file) : 0
  for (const { path, base } of logs) seq = Math.max(seq, base, highestSeqIn(path))
  const nothing = { found: new Map(), dropped: new Map(), unwritten: new Set<string>() }
  const former = sized(logs)
  return { ...nothing, seq: seq + 1, mark: newMark, logs: former, former }
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
  const { seq, mark } = data ?? { seq: 0, mark: newMark }
  const found = new LogReplay(data ?? NOTHING).found()
  return { found, seq, mark, logs: [], former: [], dropped: new Map(), unwritten: new Set() }
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
