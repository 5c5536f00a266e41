import { randomInt } from 'node:crypto'
import fs from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Low } from 'lowdb'
import { ChangeLog, shuttingDown } from './change-log.ts'
import { DataFileAdapter } from './data-file.ts'
import { DataFileError, isMissing, reasonOf } from './data-file-error.ts'
import { generationPath } from './generations.ts'
import { type Lock, lock } from './lock.ts'
import { LogFiles } from './log-files.ts'
import { makeFolder } from './make-folder.ts'
import type { ParseJson } from './parse.ts'
import { acceptDataFile, recover, startFresh } from './recover.ts'
import { Rewriter } from './rewriter.ts'
import { FileSnapshots } from './snapshots.ts'
import type { Store } from './store.ts'
import { type DataFile, NOTHING } from './text.ts'

export interface FileStoreOptions {
  /** Told, in words for people, what went wrong and does not stop the store. */
  readonly warn: (message: string) => void
  /** JSON.parse that keeps every digit of an integer. */
  readonly parseJson: ParseJson
  /** Starts as if nothing were stored; what is there is replaced once the first change is safe. */
  readonly fresh?: boolean
  /** Takes the data file as it is, without its log, which is kept under another name. */
  readonly acceptDataFile?: boolean
  /** 32 bits of chance: the mark of a history that begins now. */
  readonly newMark?: number
}

/**
 * Opens a data file, made when there is none, with its change log; nobody else can meanwhile.
 * Rejects with a DataFileError where it is in use, or cannot be read.
 */
export async function openFileStore(file: string, options: FileStoreOptions): Promise<Store> {
  let held: Lock | undefined
  try {
    const real = realFile(file)
    makeFolder(dirname(real))
    held = lock(real)
    return await open(real, options, held)
  } catch (error) {
    held?.release()
    if (error instanceof DataFileError) throw error
    throw new DataFileError(
      file,
      undefined,
      `it cannot be opened: ${reasonOf(error)}`,
      'Take another file with --db <file>, or keep nothing with --memory',
    )
  }
}

async function open(file: string, options: FileStoreOptions, { check, release }: Lock): Promise<Store> {
  const { warn, parseJson, fresh = false, acceptDataFile: accept = false } = options
  const { newMark = randomInt(2 ** 32) } = options
  const adapter = new DataFileAdapter(file, parseJson, check)
  const recovering = { parse: parseJson, warn, newMark }
  const recovered = await (fresh
    ? startFresh(file, newMark)
    : accept
      ? acceptDataFile(file, adapter, recovering)
      : recover(file, adapter, recovering))
  const { found, seq, mark, logs } = recovered
  fs.rmSync(`${file}.tmp`, { force: true })
  const low = new Low<DataFile>(adapter, NOTHING)
  const files = new LogFiles((base) => generationPath(file, base), seq, logs, warn)
  const written = (): void => rewriter.touch()
  const log = new ChangeLog({ files, position: { seq, mark }, fresh, written, check, warn })
  const rewriter: Rewriter = new Rewriter({ log, files, low, adapter, check, warn })
  const snapshots = new FileSnapshots(snapshotsFolder(file), parseJson, check)
  for (const [namespace, at] of recovered.dropped) snapshots.drop(namespace, warn, at)
  let closed: Promise<void> | undefined
  const close = async (deadline: number): Promise<void> => {
    try {
      await log.end()
      await rewriter.finish(deadline)
      await snapshots.settle()
    } finally {
      files.close(check)
      release()
    }
  }
  return {
    found,
    connect: (view) => rewriter.connect(view),
    append: (change) => {
      if (closed) throw shuttingDown()
      const durable = log.append(change)
      if (change.op === 'drop') durable.then(() => snapshots.drop(change.namespace, warn)).catch(() => {})
      return durable
    },
    prepare: (table) => log.prepare(table),
    snapshots,
    close: (budgetMs) => {
      closed ??= close(performance.now() + budgetMs)
      return closed
    },
  }
}

/** `db.json` and a file `db` beside it have folders of their own. */
function snapshotsFolder(file: string): string {
  if (file.endsWith('.json')) return `${file.slice(0, -'.json'.length)}.snapshots`
  const [folder, former] = [`${file}.snapshot-files`, `${file}.snapshots`]
  // Where version 0.1.0 has put them, unless they may be those of the other file.
  if (fs.existsSync(former) && !fs.existsSync(folder) && !fs.existsSync(`${file}.json`))
    fs.renameSync(former, folder)
  return folder
}

/**
 * Where a link leads, also where there is nothing yet: the lock and the log belong there, and the link must not
 * be replaced by a file.
 */
function realFile(file: string): string {
  if (!fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return file
  try {
    return fs.realpathSync(file)
  } catch (error) {
    if (!isMissing(error)) throw error
    return realFile(resolve(fs.realpathSync(dirname(file)), fs.readlinkSync(file)))
  }
}
