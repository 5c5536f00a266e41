import { Low } from 'lowdb'
import type { StoredNamespace } from '../../world/stored.ts'
import type { ChangeLog } from './change-log.ts'
import { type DataFile, type DataFileAdapter, NOTHING } from './data-file.ts'
import { reasonOf } from './data-file-error.ts'
import type { LogFiles } from './log-files.ts'
import { OutOfTime } from './replace-file.ts'

/** A smaller log is no reason to rewrite the data file, in bytes. */
const SMALL = 1024 * 1024
/** How long no change must come before a write, in milliseconds. The first write comes soon: the file shall exist. */
const QUIET_AT_FIRST_MS = 100
const QUIET_MS = 1000
/** The log may have this many times the size of the data file: its lines have twice the bytes of a pet in the file. */
const OUTGROWN = 2
/** Rewriting because of the size of the log takes at most 1/n of the time. */
const SHARE = 10
const RETRY_MS = 10_000
/** A low estimate of the bytes rewritten in a millisecond. */
const BYTES_A_MS = 20_000

/** Copies of the state of every stored namespace, with all applied changes. */
export type View = () => ReadonlyMap<string, StoredNamespace>

export interface RewriterOptions {
  readonly log: ChangeLog
  readonly files: LogFiles
  readonly adapter: DataFileAdapter
  /** Whether a start must not read the older files of the log. */
  readonly isFresh: boolean
  /** Throws if writing is not allowed (any more). */
  readonly check: () => void
  readonly warn: (message: string) => void
}

/**
 * Rewrites the data file when changes wait for it, when no changes come, or when the log has become too large. Then it
 * removes the files of the log whose changes are included. A crash at any step leaves the old file with the complete
 * log, or the new file with the newer log.
 */
export class FileRewriter {
  readonly #options: RewriterOptions
  readonly #low: Low<DataFile>
  #view: View | undefined
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #lastMs = 0
  #failing = false
  #closing = false

  constructor(options: RewriterOptions) {
    this.#options = options
    this.#low = new Low<DataFile>(options.adapter, NOTHING)
  }

  /** Provides the state to write. */
  connect(view: View): void {
    this.#view = view
    if (this.#options.log.size > 0) this.touch()
  }

  /** To be called when the log has grown, or changes wait for the data file; they share one rewrite. */
  touch(): void {
    if (!this.#view || this.#running || this.#closing) return
    const { log, files, adapter } = this.#options
    if (log.isWaiting) this.#start()
    else if (this.#failing && this.#timer) return
    else if ((files.isLost || log.size > Math.max(SMALL, OUTGROWN * adapter.size)) && !this.#failing)
      this.#start()
    else this.#startIn(this.#pause())
  }

  /** Ends before `deadline` (as of performance.now()), with a last rewrite if there is time. */
  async finish(deadline: number): Promise<void> {
    this.#closing = true
    clearTimeout(this.#timer)
    const { log, adapter } = this.#options
    adapter.deadline = deadline
    await this.#running
    const needed = (adapter.size + log.size) / BYTES_A_MS
    if (this.#isDue && needed <= deadline - performance.now()) await this.#rewrite()
  }

  get #isDue(): boolean {
    const { log } = this.#options
    return this.#view !== undefined && (log.size > 0 || log.isWaiting)
  }

  #pause(): number {
    if (this.#failing) return RETRY_MS
    return this.#options.adapter.size === 0 ? QUIET_AT_FIRST_MS : Math.max(QUIET_MS, SHARE * this.#lastMs)
  }

  #startIn(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#start(), ms).unref()
  }

  #start(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const rewritten = Promise.resolve().then(() => this.#rewrite())
    this.#running = rewritten.finally(() => {
      this.#running = undefined
      if (this.#isDue) this.touch()
    })
  }

  async #rewrite(): Promise<void> {
    const { files, log, isFresh, check, warn } = this.#options
    if (!this.#view) return
    const began = performance.now()
    let isWritten = false
    try {
      const { older, ...position } = log.roll()
      this.#low.data = { ...position, isFresh: isFresh && older.length > 0, namespaces: this.#view() }
      await this.#low.write()
      isWritten = true
      files.isLost = false
      log.isInFile()
      check()
      await files.forget(older)
      this.#failing = false
    } catch (error) {
      if (!isWritten) log.refuse(error)
      if (!this.#failing && !(error instanceof OutOfTime)) {
        warn(
          `The data file could not be written (${reasonOf(error)}). The change log keeps everything meanwhile.`,
        )
      }
      this.#failing = true
    } finally {
      this.#low.data = NOTHING
      this.#lastMs = performance.now() - began
    }
  }
}
