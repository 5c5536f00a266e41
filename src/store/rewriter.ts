import type { Low } from 'lowdb'
import type { StoredNamespace } from '../domain/world/stored.ts'
import type { ChangeLog } from './change-log.ts'
import type { DataFileAdapter } from './data-file.ts'
import { reasonOf } from './data-file-error.ts'
import type { LogFiles } from './log-files.ts'
import { OutOfTime } from './replace-file.ts'
import { type DataFile, NOTHING } from './text.ts'

/** A log smaller than that is never too big. */
const SMALL = 1024 * 1024
/** How long nothing may have changed before the data file is written: at first soon, so that it can be seen. */
const QUIET_AT_FIRST_MS = 100
const QUIET_MS = 1000
/** Rewriting takes at most one part in so many of the time. */
const SHARE = 10
const RETRY_MS = 10_000
/** What can be rewritten in a millisecond, by a careful guess. */
const BYTES_A_MS = 20_000

/** Every stored namespace as it is at this instant, with all changes that were applied; nothing is copied. */
export type View = () => ReadonlyMap<string, StoredNamespace>

export interface RewriterOptions {
  readonly log: ChangeLog
  readonly files: LogFiles
  readonly low: Low<DataFile>
  readonly adapter: DataFileAdapter
  /** Throws where nothing may be written (any more). */
  readonly check: () => void
  readonly warn: (message: string) => void
}

/**
 * Writes the data file anew when it is quiet, or when the log has outgrown it, and then drops the log that it
 * holds. A crash at any step leaves either the old file with all of the log, or the new one with what is newer.
 */
export class Rewriter {
  readonly #options: RewriterOptions
  #view: View | undefined
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #lastMs = 0
  #failing = false
  #closing = false

  constructor(options: RewriterOptions) {
    this.#options = options
  }

  /** There is a state to write from now on. */
  connect(view: View): void {
    this.#view = view
    if (this.#options.log.size > 0) this.touch()
  }

  /** The log has grown. */
  touch(): void {
    if (!this.#view || this.#running || this.#closing || (this.#failing && this.#timer)) return
    const { log, adapter } = this.#options
    if (log.size > Math.max(SMALL, adapter.size) && !this.#failing) this.#start()
    else this.#startIn(this.#pause())
  }

  /** Comes to an end before `deadline` (as of performance.now()): with a last rewrite, if that fits. */
  async finish(deadline: number): Promise<void> {
    this.#closing = true
    clearTimeout(this.#timer)
    const { log, adapter } = this.#options
    adapter.deadline = deadline
    await this.#running
    const needed = (adapter.size + log.size) / BYTES_A_MS
    if (log.size === 0 || needed > deadline - performance.now()) return
    const rolled = this.#view && log.roll()
    if (rolled) await this.#rewrite(rolled, this.#view)
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
    const rolled = this.#view && this.#options.log.roll()
    if (!rolled) {
      this.#startIn(QUIET_MS)
      return
    }
    this.#running = this.#rewrite(rolled, this.#view).finally(() => {
      this.#running = undefined
      if (this.#options.log.size > 0) this.touch()
    })
  }

  async #rewrite(
    { seq, mark, older }: NonNullable<ReturnType<ChangeLog['roll']>>,
    view: View = () => NOTHING.namespaces,
  ): Promise<void> {
    const { files, low, check, warn } = this.#options
    const began = performance.now()
    try {
      low.data = { seq, mark, namespaces: view() }
      await low.write()
      check()
      await files.forget(older)
      this.#failing = false
    } catch (error) {
      if (!this.#failing && !(error instanceof OutOfTime)) {
        warn(
          `The data file could not be written (${reasonOf(error)}). The change log keeps everything meanwhile.`,
        )
      }
      this.#failing = true
    } finally {
      low.data = NOTHING
      this.#lastMs = performance.now() - began
    }
  }
}
