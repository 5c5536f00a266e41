import fs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Low } from 'lowdb'
import { Problem } from '../domain/problem.ts'
import type { NamespaceView } from '../domain/stored.ts'
import { ChangeLog } from './change-log.ts'
import { DataFileAdapter } from './data-file.ts'
import { DataFileError, reasonOf } from './data-file-error.ts'
import { generationPath } from './generations.ts'
import { lock } from './lock.ts'
import { LogFiles } from './log-files.ts'
import { makeFolder } from './make-folder.ts'
import type { ParseJson } from './parse.ts'
import { recover, startFresh } from './recover.ts'
import { Rewriter } from './rewriter.ts'
import { FileSnapshots } from './snapshots.ts'
import type { Store } from './store.ts'
import { type DataFile, NOTHING } from './text.ts'

export interface FileStoreOptions {
  /** Every stored namespace as it is at this instant, with all changes that were applied; nothing is copied. */
  readonly view: () => ReadonlyMap<string, NamespaceView>
  /** Told, in words for people, what went wrong and does not stop the store. */
  readonly warn: (message: string) => void
  /** JSON.parse that keeps every digit of an integer. */
  readonly parseJson: ParseJson
  /** Starts as if nothing were stored; what is there is replaced once the first change is safe. */
  readonly fresh?: boolean
}

/**
 * Opens a data file, made when there is none, with its change log; nobody else can meanwhile.
 * Rejects with a DataFileError where it is in use, or cannot be read.
 */
export async function openFileStore(file: string, options: FileStoreOptions): Promise<Store> {
  let unlock = (): void => {}
  try {
    makeFolder(dirname(file))
    const real = realFile(file)
    unlock = lock(real)
    return await open(real, options, unlock)
  } catch (error) {
    unlock()
    if (error instanceof DataFileError) throw error
    throw new DataFileError(
      file,
      undefined,
      `it cannot be opened: ${reasonOf(error)}`,
      'Take another file with --db <file>, or keep nothing with --memory',
    )
  }
}

async function open(
  file: string,
  { view, warn, parseJson, fresh = false }: FileStoreOptions,
  unlock: () => void,
): Promise<Store> {
  const adapter = new DataFileAdapter(file, parseJson)
  const low = new Low<DataFile>(adapter, NOTHING)
  const { found, seq, logs } = fresh ? await startFresh(file) : await recover(file, low, parseJson, warn)
  low.data = NOTHING
  fs.rmSync(`${file}.tmp`, { force: true })
  const files = new LogFiles((base) => generationPath(file, base), seq, logs)
  const log = new ChangeLog({ files, seq, fresh, written: () => rewriter.touch(), warn })
  const rewriter: Rewriter = new Rewriter({ log, files, low, adapter, view, warn })
  const snapshots = new FileSnapshots(join(dirname(file), `${basename(file, '.json')}.snapshots`), parseJson)
  let closed: Promise<void> | undefined
  const close = async (deadline: number): Promise<void> => {
    try {
      log.drain(deadline)
      await rewriter.finish(deadline)
      await snapshots.settle()
    } finally {
      files.current.close()
      unlock()
    }
  }
  return {
    found,
    append: (change, apply) => {
      if (closed) return Promise.reject(new Problem('service_unavailable', 'The sandbox is shutting down.'))
      if (change.op !== 'drop') return log.append(change, apply)
      return log.append(change, () => {
        apply()
        snapshots.drop(change.namespace, warn)
      })
    },
    snapshots,
    close: (budgetMs) => {
      closed ??= close(performance.now() + budgetMs)
      return closed
    },
  }
}

/** Where a link leads: the lock and the log belong there, and the link must not be replaced by a file. */
const realFile = (file: string): string =>
  fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ? fs.realpathSync(file) : file
