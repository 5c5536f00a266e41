import fs from 'node:fs'
import type { StoredNamespace } from '../../world/stored.ts'
import type { DataFileAdapter, ReadDataFile } from './data-file.ts'
import { DataFileError, editedBelow, foreignLog, notOurs, unreadable } from './data-file-error.ts'
import {
  type Generation,
  generationsOf,
  highestSeqIn,
  holdsChange,
  isFresh,
  looksOurs,
  setAside,
} from './generations.ts'
import type { Header, Position } from './log-chain.ts'
import type { ClosedLog } from './log-files.ts'
import type { PetReader } from './pet-reader.ts'
import { type LogRead, LogReader } from './read-log.ts'
import { Replay } from './replay.ts'
import { NOTHING } from './text.ts'

/** The state at a start: the position of the last change, and what is stored. */
export interface Recovered extends Position {
  readonly found: ReadonlyMap<string, StoredNamespace>
  /** Files of the log that can be removed when the data file is rewritten. */
  readonly logs: readonly ClosedLog[]
  /** Dropped namespaces, each with its time in milliseconds since the epoch. */
  readonly dropped: ReadonlyMap<string, number>
}

export interface RecoverOptions {
  readonly reader: PetReader
  readonly warn: (message: string) => void
  /** The first mark of a new history. */
  readonly newMark: number
}

/**
 * Reads the data file and every newer change of the log. Files are changed only after everything was read and is valid.
 * Rejects with a DataFileError.
 */
export async function recover(
  file: string,
  adapter: DataFileAdapter,
  { reader: pets, warn, newMark }: RecoverOptions,
): Promise<Recovered> {
  const all = generationsOf(file)
  const unused = await withoutChange(all)
  const generations = all.filter((generation) => generation !== unused)
  const fresh = await freshStartOf(file, generations)
  const data = fresh ? undefined : await readData(file, adapter, generations)
  const held = fresh?.base ?? data?.seq ?? 0
  const first = Math.max(
    0,
    generations.findLastIndex(({ base }) => base <= held),
  )
  const replay = new Replay({ ...(data ?? NOTHING), seq: held })
  const join = new Join(file, data)
  const reader = new LogReader(replay, data?.mark ?? 0, pets, join.check)
  const reads: LogRead[] = []
  for (const [index, { path, base }] of generations.slice(first).entries()) {
    replay.begin(index === 0 ? Math.min(base, held) : replay.seq)
    join.begin(path, base, index > 0 ? reader.mark : undefined)
    reads.push(await reader.read(path, first + index === generations.length - 1))
  }
  const logs = reads.filter(({ whole }) => whole > 0)
  const isNewer = replay.seq > held
  if (logs.length > 0) join.end(replay.seq)
  if (data?.isEdited && !isNewer)
    warn(`${file}: it was changed since the sandbox wrote it, and is taken as it is now.`)
  for (const read of reads) tidy(read, warn)
  if (unused) fs.rmSync(unused.path)
  return {
    found: replay.found(),
    seq: Math.max(replay.seq, held),
    mark: isNewer ? reader.mark : (data?.mark ?? newMark),
    logs: [...sized(generations.slice(0, first)), ...logs.map(({ path, whole }) => ({ path, size: whole }))],
    dropped: replay.dropped,
  }
}

/** The file may belong to another program and be named by mistake, so the message does not propose --fresh. */
async function readData(
  file: string,
  adapter: DataFileAdapter,
  generations: readonly Generation[],
): Promise<ReadDataFile | undefined> {
  try {
    return (await adapter.read()) ?? undefined
  } catch (error) {
    if (!(error instanceof DataFileError) || generations.length > 0 || looksOurs(file)) throw error
    throw notOurs(file, error)
  }
}

/** Checks that the history of the log contains the point at which the data file was written. */
class Join {
  readonly #file: string
  readonly #data: ReadDataFile | undefined
  #path = ''
  #base = 0
  #mark: number | undefined
  /** The log belongs to the file as the sandbox wrote it, not to its edited content. */
  #toWritten = false

  constructor(file: string, data: ReadDataFile | undefined) {
    this.#file = file
    this.#data = data
  }

  /** A file of the log begins, after the one that ended with `mark`. */
  begin(path: string, base: number, mark: number | undefined): void {
    this.#path = path
    this.#base = base
    this.#mark = mark
  }

  readonly check = ({ seq, mark }: Position, line: number, header: Header | undefined): void => {
    const goesOn = this.#mark === undefined || this.#mark === mark
    if (line === 1 && header && (header.seq !== this.#base || !goesOn)) throw this.#foreign(line)
    if (!this.#data) return
    if (header && header.seq > this.#data.seq && this.#mark === undefined) throw this.#refusal(line)
    if (seq !== this.#data.seq) return
    // Files of version 0.1.0 have no marks to compare.
    const fits = header ? mark === this.#data.mark : this.#data.written === undefined
    if (header && !fits && mark !== this.#data.written) throw this.#foreign(line)
    this.#toWritten = !fits
  }

  /** The log ends with the change of that number. */
  end(seq: number): void {
    if (!this.#data) return
    if (seq < this.#data.seq) throw this.#foreign()
    if (seq === this.#data.seq || !this.#toWritten) return
    throw this.#refusal()
  }

  #refusal = (line?: number): DataFileError =>
    this.#data?.isEdited ? editedBelow(this.#file, this.#path) : this.#foreign(line)

  #foreign = (line?: number): DataFileError => foreignLog(this.#path, line, this.#file)
}

/** Reads nothing: existing files stay until the first change is durable, and are then replaced. */
export async function startFresh(file: string, newMark: number): Promise<Recovered> {
  const generations = generationsOf(file)
  const isThere = fs.existsSync(file)
  if (isThere && generations.length === 0 && !looksOurs(file)) throw notOurs(file)
  let seq = isThere ? await highestSeqIn(file) : 0
  for (const { path, base } of generations) seq = Math.max(seq, base, await highestSeqIn(path))
  return { found: new Map(), seq, mark: newMark, logs: sized(generations), dropped: new Map() }
}

/** Reads the data file only; the files of its log are renamed, so that no start reads them. */
export async function acceptDataFile(
  file: string,
  adapter: DataFileAdapter,
  { warn, newMark }: RecoverOptions,
): Promise<Recovered> {
  const data = await adapter.read()
  const generations = generationsOf(file)
  if (!data && generations.length > 0)
    throw unreadable(file, undefined, 'there is no data file to accept, only its log')
  const kept = setAside(generations)
  if (kept.length > 0) warn(`${file} is taken without its log, which is kept as ${kept.join(', ')}.`)
  const { seq, mark } = data ?? { seq: 0, mark: newMark }
  return { found: new Replay(data ?? NOTHING).found(), seq, mark, logs: [], dropped: new Map() }
}

/** The log of a fresh start that ended before its first change was durable: the earlier state still counts. */
async function withoutChange(generations: readonly Generation[]): Promise<Generation | undefined> {
  const last = generations.at(-1)
  return last && isFresh(last) && !(await holdsChange(last)) ? last : undefined
}

/** The log of a fresh start while the data file is still the old one. */
async function freshStartOf(
  file: string,
  generations: readonly Generation[],
): Promise<Generation | undefined> {
  const fresh = generations.findLast(isFresh)
  if (!fresh || !fs.existsSync(file)) return fresh
  return (await highestSeqIn(file)) <= fresh.base ? fresh : undefined
}

const sized = (generations: readonly Generation[]): ClosedLog[] =>
  generations.map(({ path }) => ({ path, size: fs.statSync(path).size }))

/** Removes an incomplete last line, which a crash leaves. */
function tidy({ path, size, whole }: LogRead, warn: (message: string) => void): void {
  if (size > whole) {
    warn(
      `${path}: the last line was cut off, as a crash leaves it. It was dropped; it had never been confirmed.`,
    )
  }
  if (whole === 0) fs.rmSync(path)
  else if (size > whole) fs.truncateSync(path, whole)
}
