import { inMiB } from '../../text/in-thousands.ts'
import { ApiError } from '../../world/api-error.ts'
import { notStored } from '../../world/guarded-store.ts'
import type { Change } from '../../world/store.ts'
import { endTurnWith } from '../turns.ts'
import { reasonOf, type Warn } from './data-file-error.ts'
import type { ClosedLog, LogFiles } from './log-files.ts'
import { contentOf, headerText, type Logged, lineText, type Position } from './log-lines.ts'

/** The limit of replaced pets in the lines of one turn, which take some milliseconds. More are written to the data file. */
const MAX_REPLACED = 10_000
/** About how many bytes of changes may wait for the disk. */
const MAX_WAITING = 16 * 1024 * 1024
/** The memory of a change in addition to its text, with the request that waits for it, in bytes. */
const CHANGE_BYTES = 1024

interface Queued {
  readonly change: Change
  readonly undo: () => void
}

/** Changes that become durable together, or are undone together. */
class Batch {
  readonly queued: Queued[] = []
  readonly namespaces = new Set<string>()
  readonly durable: Promise<void>
  bytes = 0
  resolve!: (until?: Promise<void>) => void
  #reject!: (reason: unknown) => void
  /** The number of pets in the tables that its changes replace. */
  #pets = 0
  readonly #contents = new Set<object>()

  constructor() {
    this.durable = new Promise<void>((resolve, reject) => {
      this.resolve = resolve
      this.#reject = reject
    })
    // Callers that wait receive the error. If there are none, the rejection must not count as unhandled.
    this.durable.catch(() => {})
  }

  /** Whether it replaces too many pets for the log, together with one more change. */
  isLarge(change?: Change): boolean {
    return this.#petsWith(change) > MAX_REPLACED
  }

  add({ change, undo }: Queued): void {
    this.#pets = this.#petsWith(change)
    if (change.op === 'replace') this.#contents.add(contentOf(change.state.pets))
    this.queued.push({ change, undo })
    this.namespaces.add(change.namespace)
    this.bytes += CHANGE_BYTES + ('json' in change ? change.json.length : 0)
  }

  /** Undoes the changes, the last one first. */
  refuse(error: ApiError): void {
    for (const { undo } of this.queued.toReversed()) undo()
    this.#reject(error)
  }

  /** A table that many namespaces begin with is counted once, because it is written once. */
  #petsWith(change: Change | undefined): number {
    if (change?.op !== 'replace') return this.#pets
    const { pets, empty } = change.state
    return this.#pets + (this.#contents.has(contentOf(pets)) ? 0 : pets.size) + empty.size
  }
}

/**
 * The append-only log of changes. All changes of one turn of the event loop are written together at its end. This
 * measured faster than asynchronous writes, because the responses are then sent together too. A change that replaces
 * many pets is not written here: it waits until a data file contains it, and so do all later changes of its namespace.
 * If a crash or a failing disk comes first, none of them is in effect after the next start.
 */
export class ChangeLog {
  readonly #files: LogFiles
  readonly #warn: Warn
  /** The position of the last written line. */
  #position: Position
  #isFresh: boolean
  #turn: Batch | undefined
  /** Changes that wait for the next data file. */
  #waiting: Batch | undefined
  /** Changes in the data file that is being written. */
  #inFile: Batch | undefined
  #failing = false
  #ended = false
  /** Called after changes were written. */
  onWritten = (): void => {}

  /**
   * `position`: that of the last change; `isFresh`: whether the first data file replaces all earlier content. Until it
   * is written, the log has no lines.
   */
  constructor(files: LogFiles, position: Position, isFresh: boolean, warn: Warn) {
    this.#files = files
    this.#position = position
    this.#isFresh = isFresh
    this.#warn = warn
  }

  /** The bytes of changes that the data file does not contain yet. */
  get size(): number {
    return this.#isFresh ? 0 : this.#files.size
  }

  /** Whether changes wait for the data file. */
  get isWaiting(): boolean {
    return this.#waiting !== undefined || this.#inFile !== undefined
  }

  /**
   * Queues a change that was applied. If it cannot be written, all changes that cannot be written are undone, the last
   * one first. If it cannot be queued, it is undone at once, and a 503 ApiError is thrown.
   */
  append(change: Change, undo: () => void): void {
    const waiting = (this.#waiting?.bytes ?? 0) + (this.#inFile?.bytes ?? 0)
    // All changes of a turn are accepted or none, because they may be those of one call.
    if (this.#ended || (!this.#turn && waiting > MAX_WAITING)) {
      undo()
      throw this.#ended ? shuttingDown() : diskIsSlow()
    }
    this.#turn ??= this.#begin()
    const { namespace } = change
    const waits =
      this.#isFresh ||
      this.#turn.isLarge(change) ||
      this.#waiting?.namespaces.has(namespace) ||
      this.#inFile?.namespaces.has(namespace)
    if (waits) this.#waiting ??= new Batch()
    const batch = waits ? this.#waiting : this.#turn
    batch?.add({ change, undo })
  }

  /**
   * Resolves once all changes of a namespace so far are durable (without a name: all changes of this turn); undefined
   * if none is waiting. Rejects with a 503 ApiError when they were undone.
   */
  durable(namespace?: string): Promise<void> | undefined {
    if (namespace === undefined)
      return (this.#isFresh ? (this.#waiting ?? this.#inFile) : this.#turn)?.durable
    // The latest first.
    for (const batch of [this.#waiting, this.#inFile, this.#turn])
      if (batch?.namespaces.has(namespace)) return batch.durable
    return undefined
  }

  /** Writes the changes of this turn at once. */
  flush(): void {
    const turn = this.#turn
    if (!turn) return
    this.#turn = undefined
    try {
      if (turn.queued.length > 0) {
        this.#write(turn.queued.map(({ change }) => change))
        this.#failing = false
      }
      turn.resolve()
    } catch (error) {
      const refusal = this.#refusal(error)
      // Changes of these namespaces that wait for the data file are later than those of this turn.
      if ([...turn.namespaces].some((namespace) => this.#waiting?.namespaces.has(namespace))) {
        this.#waiting?.refuse(refusal)
        this.#waiting = undefined
      }
      turn.refuse(refusal)
    }
    this.onWritten()
  }

  /**
   * Prepares for a new data file, which will contain all changes so far: writes those of this turn and begins a new
   * file of the log, so that the older ones can be removed afterwards. Throws if the log cannot be written.
   */
  roll(): Position & { readonly older: readonly ClosedLog[] } {
    this.flush()
    // Otherwise two data files could have the same position.
    if (this.#waiting && !this.#isFresh) this.#write([{ op: 'rewrite' }])
    const older = this.#files.roll(this.#position.seq)
    this.#inFile = this.#waiting
    this.#waiting = undefined
    return { ...this.#position, older }
  }

  /** The data file was written. Changes since then go to the log, unless they need the next data file. */
  fileWritten(): void {
    const waiting = this.#waiting
    this.#isFresh = false
    this.#inFile?.resolve()
    this.#inFile = undefined
    if (waiting && !waiting.isLarge()) {
      this.#waiting = undefined
      this.#turn ??= this.#begin()
      for (const queued of waiting.queued) this.#turn.add(queued)
      waiting.resolve(this.#turn.durable)
    }
    this.flush()
  }

  /** The data file could not be written: the changes that wait for it are undone. */
  refuse(reason: string): void {
    const refusal = notStored(reason)
    this.#waiting?.refuse(refusal)
    this.#inFile?.refuse(refusal)
    this.#waiting = undefined
    this.#inFile = undefined
    this.flush()
  }

  /** Writes pending changes. The log accepts none afterwards. */
  end(): void {
    this.#ended = true
    this.flush()
  }

  #begin(): Batch {
    endTurnWith(() => this.flush())
    return new Batch()
  }

  #write(changes: readonly Logged[]): void {
    const written = new Map<object, number>()
    let position = this.#position
    let lines = this.#files.isEmpty ? headerText(position) : ''
    for (const change of changes) {
      const line = lineText(position, change, written)
      lines += line.text
      position = line
    }
    this.#files.append(lines)
    this.#position = { seq: position.seq, mark: position.mark }
  }

  #refusal(error: unknown): ApiError {
    const reason = `${this.#files.path}: ${reasonOf(error)}`
    if (!this.#failing) this.#warn(`Changes are refused, as they cannot be written. ${reason}`)
    this.#failing = true
    return notStored(reason)
  }
}

const diskIsSlow = (): ApiError =>
  new ApiError(
    'service_unavailable',
    `More than ${inMiB(MAX_WAITING)} of changes wait for the disk, which is slow. Nothing was changed; send it again in 1 second.`,
  )

export const shuttingDown = (): ApiError =>
  new ApiError('service_unavailable', 'The sandbox is shutting down.')
