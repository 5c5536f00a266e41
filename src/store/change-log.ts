import { ApiError } from '../domain/api-error.ts'
import type { Change } from '../domain/world/stored.ts'
import { reasonOf } from './data-file-error.ts'
import { Encoder, headerText, type Position } from './log-codec.ts'
import type { ClosedLog, LogFiles } from './log-files.ts'

/** The real one, whatever timers a test in this process may fake later. */
const { setImmediate } = globalThis

/** Characters written at once: work of a few milliseconds, after which others get their turn. */
const SLICE = 256 * 1024

interface Waiting {
  readonly change: Change
  readonly apply: () => void
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

export interface ChangeLogOptions {
  readonly files: LogFiles
  /** The last change so far. */
  readonly position: Position
  /** Whether the log is to say that nothing before it counts. */
  readonly fresh: boolean
  /** Throws where nothing may be written (any more). */
  readonly check: () => void
  /** Called after changes were written and applied. */
  readonly written: () => void
  readonly warn: (message: string) => void
}

/**
 * The append-only log of changes. All changes of one turn of the event loop go out in one write at its end:
 * that measured faster than writing beside the loop, as the answers are then sent together too.
 */
export class ChangeLog {
  readonly #options: ChangeLogOptions
  readonly #encoder: Encoder
  /** The last change that was written and applied. */
  #position: Position
  #fresh: boolean
  #queue: Waiting[] = []
  #scheduled = false
  /** The rest of a long change that is being written in slices. */
  #slices: Generator<string> | undefined
  /** The file may end in something that does not count. */
  #torn = false
  #failing = false

  constructor(options: ChangeLogOptions) {
    this.#options = options
    this.#encoder = new Encoder(options.position)
    this.#position = options.position
    this.#fresh = options.fresh
  }

  /** Bytes of changes that the data file does not hold yet. */
  get size(): number {
    return this.#fresh ? 0 : this.#options.files.size
  }

  append(change: Change, apply: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ change, apply, resolve, reject })
      this.#schedule()
    })
  }

  /**
   * Begins a new file, so that those before it can go once the data file holds the state of this instant.
   * Undefined in the middle of a change.
   */
  roll(): (Position & { readonly older: readonly ClosedLog[] }) | undefined {
    if (this.#slices || this.#torn) return undefined
    this.#encoder.restart(this.#position)
    return { ...this.#position, older: this.#options.files.roll(this.#position.seq) }
  }

  /** Writes what is waiting, at once, until `deadline` (as of performance.now()); the rest is refused. */
  drain(deadline: number): void {
    while (this.#queue.length > 0) {
      this.#write()
      if (performance.now() > deadline) break
    }
    if (this.#queue.length > 0) this.#refuse(new Error('there is no time left before the end'), [])
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      if (this.#queue.length === 0) return
      this.#write()
      if (this.#queue.length > 0) this.#schedule()
    })
  }

  #write(): void {
    const { files, check } = this.#options
    const { current } = files
    const done: Waiting[] = []
    try {
      check()
      if (this.#torn) this.#cutBack()
      const header = current.isEmpty ? headerText({ ...this.#position, fresh: this.#fresh }) : ''
      current.write(header + this.#take(done))
      if (!this.#slices) current.commit()
    } catch (error) {
      this.#refuse(error, done)
      return
    }
    if (done.length === 0) return
    this.#position = this.#encoder.position
    this.#fresh = false
    this.#failing = false
    for (const waiting of done) settle(waiting)
    this.#options.written()
  }

  /** The text to write next; `done` receives the changes that are complete with it. */
  #take(done: Waiting[]): string {
    let text = ''
    while (text.length < SLICE) {
      const waiting = this.#queue[0]
      if (!waiting) break
      if (this.#slices || this.#encoder.isLong(waiting.change)) {
        // Alone, so that it can be cut off without touching what came before.
        if (done.length > 0) break
        text = this.#slice(waiting.change)
        if (this.#slices) break
      } else text += this.#encoder.text(waiting.change)
      done.push(waiting)
      this.#queue.shift()
    }
    return text
  }

  #slice(change: Change): string {
    this.#slices ??= this.#encoder.lines(change)
    let text = ''
    while (text.length < SLICE) {
      const line = this.#slices.next()
      if (line.done) {
        this.#slices = undefined
        break
      }
      text += line.value
    }
    return text
  }

  /** Takes back what was not written whole, and refuses all that waits behind it: it may depend on it. */
  #refuse(error: unknown, done: readonly Waiting[]): void {
    const refused = [...done, ...this.#queue]
    this.#queue = []
    this.#slices = undefined
    this.#encoder.restart(this.#position)
    this.#torn = true
    try {
      this.#cutBack()
    } catch {
      // Tried again before the next write.
    }
    const reason = `${this.#options.files.current.path}: ${reasonOf(error)}`
    const problem = new ApiError(
      'service_unavailable',
      `The change was not stored, nothing was changed. ${reason}`,
    )
    for (const { reject } of refused) reject(problem)
    if (!this.#failing) this.#options.warn(`Changes are refused, as they cannot be written. ${reason}`)
    this.#failing = true
  }

  #cutBack(): void {
    this.#options.check()
    this.#options.files.current.cutBack()
    this.#torn = false
  }
}

function settle({ apply, resolve, reject }: Waiting): void {
  try {
    apply()
    resolve()
  } catch (error) {
    reject(error)
  }
}
