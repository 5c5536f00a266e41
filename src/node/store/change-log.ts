import { ApiError } from '../../world/api-error.ts'
import type { Change, StoredNamespace } from '../../world/stored.ts'
import { reasonOf } from './data-file-error.ts'
import type { ClosedLog, LogFiles } from './log-files.ts'
import { contentOf, headerText, type Logged, lineText, type Position } from './log-lines.ts'

/** The real timer, even if a test in this process fakes timers later. */
const { setImmediate } = globalThis

/** The most pets that the lines of one turn replace: some milliseconds. More go straight into the data file. */
const MOST_REPLACED = 10_000
/** About how many bytes of changes may wait for the disk. */
const MOST_WAITING = 16 * 1024 * 1024
/** The bytes of a change in memory beside its text, with the request that waits for it. */
const CHANGE_BYTES = 1024

interface Queued {
  readonly change: Change
  readonly undo: () => void
  /** Whether only a data file can hold it. */
  readonly isLarge: boolean
}

/** Changes that become durable together, or are undone together. */
class Batch {
  readonly queued: Queued[] = []
  readonly namespaces = new Set<string>()
  readonly durable: Promise<void>
  bytes = 0
  resolve!: (until?: Promise<void>) => void
  #reject!: (reason: unknown) => void

  constructor() {
    this.durable = new Promise<void>((resolve, reject) => {
      this.resolve = resolve
      this.#reject = reject
    })
    // Waiting callers receive the error; without any, this rejection must not count as unhandled.
    this.durable.catch(() => {})
  }

  add(queued: Queued): void {
    this.queued.push(queued)
    this.namespaces.add(queued.change.namespace)
    this.bytes += bytesOf(queued.change)
  }

  /** Undoes the changes, the last one first. */
  refuse(error: ApiError): void {
    for (const { undo } of this.queued.toReversed()) undo()
    this.#reject(error)
  }
}

export interface ChangeLogOptions {
  readonly files: LogFiles
  /** The position of the last change. */
  readonly position: Position
  /** Whether the first data file replaces everything before it; until it is written, no line is. */
  readonly isFresh: boolean
  /** Throws if writing is not allowed (any more). */
  readonly check: () => void
  /** Called after changes were written; `isUrgent`: some wait for the data file. */
  readonly written: (isUrgent: boolean) => void
  readonly warn: (message: string) => void
}

/**
 * The append-only log of changes. All changes of one turn of the event loop are written together at its end: this
 * measured faster than asynchronous writes, because the responses are then sent together too.
 *
 * A change that replaces many pets is not written here: it waits until a data file holds it, and so do all later
 * changes of its namespace. Where a crash or a failing disk comes first, none of them has happened.
 */
export class ChangeLog {
  readonly #options: ChangeLogOptions
  /** The position of the last written line. */
  #position: Position
  #isFresh: boolean
  #turn: Batch | undefined
  /** By namespace, what waits for the next data file. */
  #waiting = new Map<string, Batch>()
  /** The same for the data file that is being written. */
  #taken = new Map<string, Batch>()
  /** What lines of this turn replace. */
  readonly #replaced = new Set<object>()
  #replacedCount = 0
  #failing = false
  #ended = false

  constructor(options: ChangeLogOptions) {
    this.#options = options
    this.#position = options.position
    this.#isFresh = options.isFresh
  }

  /** Bytes of changes that the data file does not hold yet. */
  get size(): number {
    return this.#isFresh ? 0 : this.#options.files.size
  }

  /** Whether changes wait for the data file. */
  get isWaiting(): boolean {
    return this.#waiting.size + this.#taken.size > 0
  }

  /**
   * Queues a change that has been applied. Where it cannot be written, all that cannot be is undone, the last one first.
   * Undoes it and throws a 503 ApiError where it cannot be taken.
   */
  append(change: Change, undo: () => void): void {
    if (this.#ended || this.#bytesWaiting > MOST_WAITING) {
      undo()
      throw this.#ended ? shuttingDown() : diskIsSlow()
    }
    this.#turn ??= this.#begin()
    const { namespace } = change
    const isLarge = change.op === 'replace' && this.#isLarge(change.state)
    const waits = isLarge || this.#isFresh || this.#waiting.has(namespace) || this.#taken.has(namespace)
    const batch = waits ? (this.#waiting.get(namespace) ?? new Batch()) : this.#turn
    if (waits) this.#waiting.set(namespace, batch)
    batch.add({ change, undo, isLarge })
  }

  /**
   * Resolves once all changes of a namespace so far are durable (without a name: those of this turn are written);
   * undefined where none is waiting. Rejects with a 503 ApiError when they were undone.
   */
  durable(namespace?: string): Promise<void> | undefined {
    if (namespace === undefined) return this.#isFresh ? this.#allWaiting() : this.#turn?.durable
    const waiting = this.#waiting.get(namespace) ?? this.#taken.get(namespace)
    return (waiting ?? (this.#turn?.namespaces.has(namespace) ? this.#turn : undefined))?.durable
  }

  /** Writes the changes of this turn at once. */
  flush(): void {
    const turn = this.#turn
    if (!turn) return
    this.#turn = undefined
    this.#replaced.clear()
    this.#replacedCount = 0
    try {
      if (turn.queued.length > 0) this.#write(turn.queued.map(({ change }) => change))
      turn.resolve()
      this.#failing = false
    } catch (error) {
      const refusal = this.#refusal(error)
      // What waits in these namespaces came after their changes of this turn.
      for (const namespace of turn.namespaces) {
        this.#waiting.get(namespace)?.refuse(refusal)
        this.#waiting.delete(namespace)
      }
      turn.refuse(refusal)
    }
    this.#options.written(this.isWaiting)
  }

  /**
   * A data file is about to be written, with all changes so far: writes those of this turn, and begins a new file, so
   * that the older ones can be removed afterwards. Throws where the log cannot be written.
   */
  roll(): Position & { readonly older: readonly ClosedLog[] } {
    this.flush()
    // No two data files have one position.
    if (this.#waiting.size > 0 && !this.#isFresh) this.#write([{ op: 'rewrite' }])
    const older = this.#options.files.roll(this.#position.seq)
    this.#taken = this.#waiting
    this.#waiting = new Map()
    return { ...this.#position, older }
  }

  /** The data file was written. What came meanwhile goes into the log, unless only the next data file can hold it. */
  isInFile(): void {
    const taken = this.#taken
    this.#taken = new Map()
    this.#isFresh = false
    for (const batch of taken.values()) batch.resolve()
    for (const [namespace, batch] of this.#waiting) {
      if (batch.queued.some(({ isLarge }) => isLarge)) continue
      this.#waiting.delete(namespace)
      this.#turn ??= this.#begin()
      for (const queued of batch.queued) this.#turn.add(queued)
      batch.resolve(this.#turn.durable)
    }
    this.flush()
  }

  /** The data file was not written: what waits for it is undone. */
  refuse(error: unknown): void {
    const refusal = notStored(reasonOf(error))
    for (const batches of [this.#waiting, this.#taken]) {
      for (const batch of batches.values()) batch.refuse(refusal)
      batches.clear()
    }
    this.flush()
  }

  /** Writes what is pending, and takes nothing more. */
  end(): void {
    this.#ended = true
    this.flush()
  }

  get #bytesWaiting(): number {
    let bytes = this.#turn?.bytes ?? 0
    for (const batch of this.#waiting.values()) bytes += batch.bytes
    for (const batch of this.#taken.values()) bytes += batch.bytes
    return bytes
  }

  #allWaiting(): Promise<void> | undefined {
    if (!this.isWaiting) return undefined
    const batches = [...this.#waiting.values(), ...this.#taken.values()]
    return Promise.all(batches.map(({ durable }) => durable)).then(() => {})
  }

  #begin(): Batch {
    setImmediate(() => this.flush())
    return new Batch()
  }

  /** Pets that many namespaces begin with are counted once, since they are written once. */
  #isLarge({ pets, empty }: StoredNamespace): boolean {
    const content = contentOf(pets)
    const count = (this.#replaced.has(content) ? 0 : pets.size) + (empty?.size ?? 0)
    if (this.#replacedCount + count > MOST_REPLACED) return true
    this.#replaced.add(content)
    this.#replacedCount += count
    return false
  }

  #write(changes: readonly Logged[]): void {
    const { files, check } = this.#options
    const written = new Map<object, number>()
    let position = this.#position
    let lines = files.isEmpty ? headerText(position) : ''
    for (const change of changes) {
      const { text, ...next } = lineText(position, change, written)
      lines += text
      position = next
    }
    check()
    files.append(lines)
    this.#position = position
  }

  #refusal(error: unknown): ApiError {
    const reason = `${this.#options.files.path}: ${reasonOf(error)}`
    if (!this.#failing) this.#options.warn(`Changes are refused, as they cannot be written. ${reason}`)
    this.#failing = true
    return notStored(reason)
  }
}

const bytesOf = (change: Change): number => CHANGE_BYTES + ('json' in change ? change.json.length : 0)

const notStored = (reason: string): ApiError =>
  new ApiError('service_unavailable', `The change was not stored, nothing was changed. ${reason}`)

const diskIsSlow = (): ApiError =>
  new ApiError(
    'service_unavailable',
    `More than ${MOST_WAITING / 1024 / 1024} MiB of changes wait for the disk, which is slow. Nothing was changed; send it again in 1 second.`,
    ['Retry-After', '1'],
  )

export const shuttingDown = (): ApiError =>
  new ApiError('service_unavailable', 'The sandbox is shutting down.')
