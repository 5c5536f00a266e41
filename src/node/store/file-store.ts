import fs from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import type { PetShape } from '../../contract/openapi/pet-shape.ts'
import { isMissing, unwritableReason } from '../../text/error.ts'
import type { Slices } from '../../time/slices.ts'
import type { Store } from '../../world/store.ts'
import { makeFolder } from '../files/make-folder.ts'
import { monotonic } from '../timers.ts'
import { ChangeLog, shuttingDown } from './change-log.ts'
import { dataFileAdapter, warnOfUndeclared } from './data-file.ts'
import { DataFileError } from './data-file-error.ts'
import { type Lock, lock, OTHER_STORE } from './lock.ts'
import { LogFiles } from './log-files.ts'
import { type RecoverOptions, recover, startFresh } from './recover.ts'
import { checkRegular, temporaryPath } from './replace-file.ts'
import { fileRewriter } from './rewriter.ts'
import { fileSnapshots } from './snapshots.ts'
import { PetReader } from './validation.ts'

export interface FileStoreOptions
  extends Pick<RecoverOptions, 'warn'>,
    Partial<Pick<RecoverOptions, 'newMark' | 'acceptDataFile'>> {
  /** The shape of a pet. */
  readonly petShape: PetShape
  /** The queue for work that grows with the stored pets. */
  readonly slices: Slices
  /** Starts empty; the existing files are replaced when the first change is durable. */
  readonly fresh?: boolean
}

/**
 * Opens a data file with its change log, and locks them. Creates the file if it does not exist. Rejects with a
 * DataFileError if it is in use or cannot be read.
 */
export async function openFileStore(file: string, options: FileStoreOptions): Promise<Store> {
  let held: Lock | undefined
  try {
    refuseFolder(file)
    const real = realFile(file)
    makeFolder(dirname(real))
    held = lock(real)
    return await open(real, options, held)
  } catch (error) {
    held?.release()
    if (error instanceof DataFileError) throw error
    throw new DataFileError(file, `it cannot be opened: ${unwritableReason(error)}`, `Take ${OTHER_STORE}`)
  }
}

async function open(file: string, options: FileStoreOptions, { check, release }: Lock): Promise<Store> {
  const { warn, petShape, slices, fresh = false, acceptDataFile = false } = options
  const { newMark = Math.floor(Math.random() * 2 ** 32) } = options
  refuseOthers(file)
  const reader = new PetReader(petShape)
  const adapter = dataFileAdapter(file, reader, slices, check, warn)
  const recovered = fresh
    ? startFresh(file, newMark)
    : await recover(file, adapter, { reader, warn, newMark, acceptDataFile })
  const { found, seq, mark } = recovered
  warnOfUndeclared(file, reader, warn)
  fs.rmSync(temporaryPath(file), { force: true })
  const files = new LogFiles(file, seq, recovered.logs, check, warn)
  const log = new ChangeLog(files, { seq, mark }, fresh, warn)
  const rewriter = fileRewriter(log, files, adapter, warn)
  const snapshots = fileSnapshots(snapshotsFolder(file), new PetReader(petShape), slices, check, warn)
  for (const [namespace, at] of recovered.dropped) snapshots.drop(namespace, at)
  let closed: Promise<void> | undefined
  const close = async (deadline: number): Promise<void> => {
    try {
      log.end()
      await rewriter.finish(deadline)
      log.refuse(shuttingDown().message)
      await snapshots.settle()
    } finally {
      files.close()
      release()
    }
  }
  return {
    found,
    connect: rewriter.connect,
    append: (change, undo) => {
      log.append(change, undo)
      if (change.op !== 'drop') return
      const { namespace } = change
      log.durable(namespace)?.then(
        () => snapshots.drop(namespace),
        () => {},
      )
    },
    durable: (namespace) => log.durable(namespace),
    snapshots,
    close: (budgetMs) => {
      closed ??= close(monotonic() + budgetMs)
      return closed
    },
  }
}

/** The folder of snapshots. The files `db.json` and `db` have different ones. */
const snapshotsFolder = (file: string): string =>
  file.endsWith('.json') ? `${file.slice(0, -'.json'.length)}.snapshots` : `${file}.snapshot-files`

/** A path that ends in a slash names a folder, even if there is none. */
function refuseFolder(file: string): void {
  const isFolder = file.endsWith('/') || file.endsWith(sep)
  if (!isFolder && !fs.statSync(file, { throwIfNoEntry: false })?.isDirectory()) return
  const advice = `Name a file in it: --db ${join(file, 'db.json')} (in code db)`
  throw new DataFileError(file, 'it names a folder', advice)
}

/** Refuses a data file with several names: the lock is beside one of them, and a second sandbox could use another one. */
function refuseOthers(file: string): void {
  checkRegular(file, `Take ${OTHER_STORE}`)
  const { nlink = 1 } = fs.statSync(file, { throwIfNoEntry: false }) ?? {}
  if (nlink === 1) return
  const reason = `it has ${nlink} names (hard links), and another sandbox could use it under the other one`
  const advice = 'Make it a file of its own: copy it, and rename the copy to this name. Or take another file'
  throw new DataFileError(file, reason, `${advice} with --db <file>`)
}

/**
 * The target of a symbolic link, even if it does not exist yet: lock and log belong beside it, and the link must not be
 * replaced by a file.
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
