import { ApiError } from '../../world/api-error.ts'
import type { Change } from '../../world/stored.ts'
import { reasonOf } from './data-file-error.ts'
import type { ClosedLog, LogFiles } from './log-files.ts'
import { headerText, type Logged, lineText, type Position } from './log-lines.ts'

/** The real timer, even if a test in this process fakes timers later. */
const { setImmediate } = globalThis

/** The most pets that the lines of one turn replace: some milliseconds. More go straight into the data file. */
const MOST_REPLACED = 10_000
/** About how many bytes of changes may wait for the disk. */
const MOST_WAITING = 16 * 1024 * 1024
/** The bytes of a change in memory beside its text, with the request that waits for it. */
const CHANGE_BYTES = 1024

interface Deferred {
  readonly promise: Promise<void>
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

interface Queued {
  readonly change: Change
  readonly undo: () => void
  /** Only the next data file holds what it puts in place. */
  readonly isLarge: boolean
}

/** The changes of one turn of the event loop: all of their lines are written, or none. */
interface Turn {
  readonly queued: Queued[]
  readonly namespaces: Set<string>
  readonly written: Deferred
  /** By namespace, what its changes wait for once they are written. */
  readonly inFile: Map<string | undefined, Promise<void>>
  replaced: number
  bytes: number
}

/** A namespace of which only the next data file holds the pets, and what has changed in it since. */
interface Replacement {
  /** Undefined: all of them, as the data file is the first after a fresh start. */
  readonly namespace: string | undefined
  /** The number of the line that says so. A data file with this number or a higher one holds the pets. */
  readonly seq: number
  readonly undos: (() => void)[]
  readonly inFile: Deferred
  bytes: number
}

export interface ChangeLogOptions {
  readonly files: LogFiles
  /** The position of the last change. */
  readonly position: Position
  /** Whether the first data file replaces everything before it; until it is written, no line is. */
  readonly isFresh: boolean
  /** Namespaces that the log says only a data file held that was never written. */
  readonly unwritten: ReadonlySet<string>
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
 * A change that replaces many pets is a line without them. It is durable once a data file with its number is written; where a
 * crash comes before that, the line and all later ones of that namespace do not count, and none of them was confirmed.
 */
export class ChangeLog {
  readonly #options: ChangeLogOptions
  /** The position of the last written line. */
  #position: Position
  #isFresh: boolean
  #turn: Turn | undefined
  #replacements: Replacement[] = []
  /** Namespaces of which the next line has to say that their replacement does not count. */
  readonly #unwritten: Set<string>
  /** Whether the file may end with uncommitted bytes. */
  #torn = false
  #failing = false
  #ended = false

  constructor(options: ChangeLogOptions) {
    this.#options = options
    this.#position = options.position
    this.#isFresh = options.isFresh
    this.#unwritten = new Set(options.unwritten)
  }

  /** Bytes of changes that the data file does not hold yet. */
  get size(): number {
    return this.#isFresh ? 0 : this.#options.files.size
  }

  /** Whether changes wait for the data file. */
  get isWaiting(): boolean {
    return this.#replacements.length > 0
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
    const { queued, namespaces } = this.#turn
    const replaced = change.op === 'replace' ? change.state.pets.size + (change.state.empty?.size ?? 0) : 0
    const isLarge = this.#turn.replaced + replaced > MOST_REPLACED
    if (!isLarge) this.#turn.replaced += replaced
    queued.push({ change, undo, isLarge: isLarge && replaced > 0 })
    namespaces.add(change.namespace)
    this.#turn.bytes += bytesOf(change)
  }

  /**
   * Resolves once all changes of a namespace so far are durable (without a name: those of this turn are written);
   * undefined where none is waiting. Rejects with a 503 ApiError when they were undone.
   */
  durable(namespace?: string): Promise<void> | undefined {
    const turn = this.#turn
    if (!turn || (namespace !== undefined && !turn.namespaces.has(namespace)))
      return this.#replacementOf(namespace)?.inFile.promise
    const { promise } = turn.written
    const mayWait = this.isWaiting || turn.queued.some(({ isLarge }) => isLarge)
    return mayWait ? promise.then(() => turn.inFile.get(namespace)) : promise
  }

  /** Writes the changes of this turn at once. */
  flush(): void {
    const turn = this.#turn
    if (!turn) return
    if (this.#isFresh) {
      if (this.isWaiting) return
      this.#turn = undefined
      const { queued, bytes, written: inFile } = turn
      const undos = queued.map(({ undo }) => undo)
      this.#replacements.push({ namespace: undefined, seq: this.#position.seq, undos, inFile, bytes })
      this.#options.written(true)
      return
    }
    this.#turn = undefined
    const first = this.#position.seq + this.#unwritten.size + 1
    try {
      this.#write([...this.#undoneLines(), ...turn.queued.map(loggedOf)])
    } catch (error) {
      undoAll(turn.queued.map(({ undo }) => undo))
      turn.written.reject(this.#refusal(error))
      return
    }
    this.#failing = false
    this.#unwritten.clear()
    for (const [index, queued] of turn.queued.entries()) this.#await(turn, queued, first + index)
    turn.written.resolve()
    this.#options.written(this.isWaiting)
  }

  /**
   * Writes the changes of this turn, and begins a new file, so that the older ones can be removed when the data file
   * holds the current state. Undefined where the log cannot be written.
   */
  roll(): (Position & { readonly older: readonly ClosedLog[] }) | undefined {
    this.flush()
    if (this.#torn) return undefined
    return { ...this.#position, older: this.#options.files.roll(this.#position.seq) }
  }

  /** The data file holds everything up to that number. */
  isInFile(seq: number): void {
    const inFile = this.#replacements.filter((each) => each.seq <= seq)
    this.#replacements = this.#replacements.filter((each) => each.seq > seq)
    for (const each of inFile) each.inFile.resolve()
    if (!this.#isFresh) return
    this.#isFresh = false
    this.flush()
  }

  /** The data file was not written: what waits for it is undone. */
  refuse(error: unknown): void {
    if (!this.isWaiting) return
    const turn = this.#turn
    if (this.#isFresh && turn) {
      this.#turn = undefined
      undoAll(turn.queued.map(({ undo }) => undo))
      turn.written.reject(notStored(reasonOf(error)))
    } else this.flush()
    const refused = this.#replacements.reverse()
    this.#replacements = []
    for (const { namespace, undos, inFile } of refused) {
      undoAll(undos)
      if (namespace !== undefined) this.#unwritten.add(namespace)
      inFile.reject(notStored(reasonOf(error)))
    }
  }

  /** Writes what is pending, and takes nothing more. */
  end(): void {
    this.#ended = true
    this.flush()
  }

  get #bytesWaiting(): number {
    return this.#replacements.reduce((sum, { bytes }) => sum + bytes, this.#turn?.bytes ?? 0)
  }

  #begin(): Turn {
    setImmediate(() => this.flush())
    return {
      queued: [],
      namespaces: new Set(),
      written: deferred(),
      inFile: new Map(),
      replaced: 0,
      bytes: 0,
    }
  }

  /** The latest one that a change of this namespace waits for. */
  #replacementOf(namespace: string | undefined): Replacement | undefined {
    return this.#replacements.findLast((each) => each.namespace === namespace || each.namespace === undefined)
  }

  /** A written change waits for the data file if its namespace does. */
  #await({ inFile }: Turn, { change, undo, isLarge }: Queued, seq: number): void {
    const { namespace } = change
    if (isLarge) this.#replacements.push({ namespace, seq, undos: [], inFile: deferred(), bytes: 0 })
    const waiting = this.#replacementOf(namespace)
    if (!waiting) return
    inFile.set(namespace, waiting.inFile.promise)
    waiting.undos.push(undo)
    waiting.bytes += bytesOf(change)
  }

  #undoneLines = (): Logged[] => Array.from(this.#unwritten, (namespace) => ({ op: 'undo', namespace }))

  #write(changes: readonly Logged[]): void {
    const { files, check } = this.#options
    let position = this.#position
    let lines = ''
    for (const change of changes) {
      const { text, ...next } = lineText(position, change)
      lines += text
      position = next
    }
    check()
    if (this.#torn) this.#cutBack()
    const { current } = files
    current.write((current.isEmpty ? headerText(this.#position) : '') + lines)
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
    return notStored(reason)
  }

  #cutBack(): void {
    this.#options.check()
    this.#options.files.current.cutBack()
    this.#torn = false
  }
}

const loggedOf = ({ change, isLarge }: Queued): Logged =>
  isLarge ? { op: 'replace', namespace: change.namespace } : change

const bytesOf = (change: Change): number => CHANGE_BYTES + ('json' in change ? change.json.length : 0)

function undoAll(undos: readonly (() => void)[]): void {
  for (const undo of undos.toReversed()) undo()
}

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

function deferred(): Deferred {
  let settle!: Pick<Deferred, 'resolve' | 'reject'>
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })
  // Waiting callers receive the error; without any, this rejection must not count as unhandled.
  promise.catch(() => {})
  return { promise, ...settle }
}
