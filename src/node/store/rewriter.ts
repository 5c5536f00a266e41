import { Low } from 'lowdb'
import type { StoredNamespace } from '../../world/store.ts'
import { monotonic } from '../timers.ts'
import type { ChangeLog } from './change-log.ts'
import { type DataFile, type DataFileAdapter, NOTHING } from './data-file.ts'
import { reasonOf, type Warn } from './data-file-error.ts'
import { LockLost } from './lock.ts'
import type { LogFiles } from './log-files.ts'
import { OutOfTime } from './replace-file.ts'

/** The data file is not rewritten because of a smaller log, in bytes. */
const MIN_LOG = 1024 * 1024
/** The time without changes before a write, in milliseconds. The first write comes soon, so that the file exists. */
const QUIET_AT_FIRST_MS = 100
const QUIET_MS = 1000
/** The log may have this many times the size of the data file: its lines have twice the bytes of a pet in the file. */
const GROWTH = 2
/** If changes come now and then, rewriting takes at most 1/n of the time. */
const SHARE = 10
const RETRY_MS = 10_000
/** A low estimate of the bytes rewritten in a millisecond. */
const BYTES_A_MS = 20_000

/** Copies of the state of every stored namespace, with all applied changes. */
export type View = () => ReadonlyMap<string, StoredNamespace>

/**
 * Rewrites the data file when changes wait for it, when no changes come, or when the log has become too large. Then it
 * removes the files of the log whose changes are included. A crash at any step leaves the old file with the complete
 * log, or the new file with the newer log.
 */
export function fileRewriter(log: ChangeLog, files: LogFiles, adapter: DataFileAdapter, warn: Warn) {
  const low = new Low<DataFile>(adapter, NOTHING)
  let view: View | undefined
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let lastMs = 0
  let isFailing = false
  let isClosing = false
  log.onWritten = schedule
  return { connect, finish }

  /** Provides the state to write. */
  function connect(given: View): void {
    view = given
    if (log.size > 0) schedule()
  }

  /** To be called when the log has grown, or changes wait for the data file; they share one rewrite. */
  function schedule(): void {
    if (!view || running || isClosing) return
    if (log.isWaiting) start()
    else if (isFailing && timer) return
    else if ((files.isLost || log.size > Math.max(MIN_LOG, GROWTH * adapter.size)) && !isFailing) start()
    else {
      clearTimeout(timer)
      timer = setTimeout(start, pause()).unref()
    }
  }

  /** Ends before `deadline` (as of monotonic()), with a last rewrite if there is time. */
  async function finish(deadline: number): Promise<void> {
    isClosing = true
    clearTimeout(timer)
    adapter.deadline = deadline
    await running
    const needed = (adapter.size + log.size) / BYTES_A_MS
    if (isDue() && needed <= deadline - monotonic()) await rewrite()
  }

  function isDue(): boolean {
    return view !== undefined && (log.size > 0 || log.isWaiting)
  }

  function pause(): number {
    if (isFailing) return Math.max(RETRY_MS, SHARE * lastMs)
    return adapter.size === 0 ? QUIET_AT_FIRST_MS : Math.max(QUIET_MS, SHARE * lastMs)
  }

  function start(): void {
    clearTimeout(timer)
    timer = undefined
    running = Promise.resolve()
      .then(rewrite)
      .finally(() => {
        running = undefined
        if (isDue()) schedule()
      })
  }

  function notWritten(error: unknown): string {
    const then =
      error instanceof LockLost
        ? 'Its pets are in memory: petstore-sandbox export keeps them'
        : files.isLost
          ? 'Its change log was removed too: put its folder back'
          : 'The change log keeps everything meanwhile'
    return `${adapter.file} could not be written: ${reasonOf(error)}. ${then}.`
  }

  async function rewrite(): Promise<void> {
    if (!view) return
    const began = monotonic()
    let isWritten = false
    try {
      const { older, ...position } = log.roll()
      const isFresh = older.some(({ isEnded }) => isEnded)
      low.data = { ...position, isFresh, namespaces: view() }
      await low.write()
      isWritten = true
      files.isLost = false
      log.fileWritten()
      await files.forget(older)
      isFailing = false
    } catch (error) {
      if (!isWritten) log.refuse(`${adapter.file}: ${reasonOf(error)}`)
      if (!isFailing && !(error instanceof OutOfTime))
        warn(isWritten ? notForgotten(error) : notWritten(error))
      isFailing = true
    } finally {
      low.data = NOTHING
      lastMs = monotonic() - began
    }
  }
}

const notForgotten = (error: unknown): string =>
  `Files of the log that are no longer needed could not be removed: ${reasonOf(error)}. Nothing is lost.`
