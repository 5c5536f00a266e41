import { ApiError } from '../../world/api-error.ts'
import type { Change } from '../../world/stored.ts'
import { reasonOf } from './data-file-error.ts'
import { headerText, type Position } from './log-chain.ts'
import { changeText } from './log-encoder.ts'
import type { ClosedLog, LogFiles } from './log-files.ts'

/** The real timer, even if a test in this process fakes timers later. */
const { setImmediate } = globalThis

/** The changes of one turn of the event loop: all of them become durable, or none. */
interface Batch {
  readonly changes: Change[]
  readonly durable: Promise<void>
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

export interface ChangeLogOptions {
  readonly files: LogFiles
  /** The position of the last change. */
  readonly position: Position
  /** Whether the log replaces everything before it. */
  readonly fresh: boolean
  /** Throws if writing is not allowed (any more). */
  readonly check: () => void
  /** Called after changes were written. */
  readonly written: () => void
  readonly warn: (message: string) => void
}

/**
 * The append-only log of changes. All changes of one turn of the event loop are written together at its end: this
 * measured faster than asynchronous writes, because the responses are then sent together too.
 */
export class ChangeLog {
  readonly #options: ChangeLogOptions
  /** The position of the last written line. */
  #position: Position
  /** Until the first change is durable. */
  #fresh: boolean
  #batch: Batch | undefined
  /** Whether the file may end with uncommitted bytes. */
  #torn = false
  #failing = false

  constructor(options: ChangeLogOptions) {
    this.#options = options
    this.#position = options.position
    this.#fresh = options.fresh
  }

  /** Bytes of changes that the data file does not hold yet. */
  get size(): number {
    return this.#fresh ? 0 : this.#options.files.size
  }

  /** Queues a change; the promise covers all changes of this turn. Rejects with a 503 ApiError. */
  append(change: Change): Promise<void> {
    this.#batch ??= this.#begin()
    this.#batch.changes.push(change)
    return this.#batch.durable
  }

  /**
   * Begins a new file, so that the older ones can be removed when the data file holds the current state. Undefined
   * while changes are pending.
   */
  roll(): (Position & { readonly older: readonly ClosedLog[] }) | undefined {
    if (this.#batch || this.#torn) return undefined
    return { ...this.#position, older: this.#options.files.roll(this.#position.seq) }
  }

  /** Writes pending changes at once. */
  end(): void {
    this.#flush()
  }

  #begin(): Batch {
    const { promise: durable, resolve, reject } = withResolvers()
    // Waiting callers receive the error; without any, this rejection must not count as unhandled.
    durable.catch(() => {})
    setImmediate(() => this.#flush())
    return { changes: [], durable, resolve, reject }
  }

  #flush(): void {
    const batch = this.#batch
    if (!batch) return
    this.#batch = undefined
    try {
      this.#write(batch.changes)
    } catch (error) {
      batch.reject(this.#refusal(error))
      return
    }
    this.#failing = false
    this.#fresh = false
    batch.resolve()
    this.#options.written()
  }

  #write(changes: readonly Change[]): void {
    const { files, check } = this.#options
    let position = this.#position
    let lines = ''
    for (const change of changes) {
      const { text, ...next } = changeText(position, change)
      lines += text
      position = next
    }
    check()
    if (this.#torn) this.#cutBack()
    const { current } = files
    current.write((current.isEmpty ? headerText({ ...this.#position, fresh: this.#fresh }) : '') + lines)
    current.commit()
    this.#position = position
  }

  /** Rolls back to the last committed line. */
  #refusal(error: unknown): ApiError {
    this.#torn = true
    try {
      this.#cutBack()
    } catch {
      // Retried before the next write.
    }
    const reason = `${this.#options.files.current.path}: ${reasonOf(error)}`
    if (!this.#failing) this.#options.warn(`Changes are refused, as they cannot be written. ${reason}`)
    this.#failing = true
    return new ApiError('service_unavailable', `The change was not stored, nothing was changed. ${reason}`)
  }

  #cutBack(): void {
    this.#options.check()
    this.#options.files.current.cutBack()
    this.#torn = false
  }
}

export const shuttingDown = (): ApiError =>
  new ApiError('service_unavailable', 'The sandbox is shutting down.')

function withResolvers(): Pick<Batch, 'resolve' | 'reject'> & { readonly promise: Promise<void> } {
  let resolvers!: Pick<Batch, 'resolve' | 'reject'>
  const promise = new Promise<void>((resolve, reject) => {
    resolvers = { resolve, reject }
  })
  return { promise, ...resolvers }
}
