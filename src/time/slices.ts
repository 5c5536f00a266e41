/** The time limit of all sliced work in one turn of the event loop, in milliseconds. */
const TURN = 5

/** The time for one job while others wait, in milliseconds. */
const SHARE = 1

/** A text is made in parts of about this many characters. */
const PART = 64 * 1024

/** The function that ends a turn of the event loop in this runtime. */
export interface Turns {
  /** Calls `act` in a later turn of the event loop, after pending events were handled. */
  readonly later: (act: () => void) => void
  /** Milliseconds since any fixed instant. */
  readonly clock: () => number
}

/** Does the next step. Returns whether there are more steps, or `alone` if the turn should end after it. */
type Job = () => boolean | 'alone'

/**
 * Work that grows with its input is done in slices, and other requests are handled between them. There is one queue per
 * process: all jobs together take 5 ms of a turn, one after the other.
 */
export class Slices {
  readonly #turns: Turns
  readonly #jobs: Job[] = []
  #isScheduled = false

  constructor(turns: Turns) {
    this.#turns = turns
  }

  /** Runs all steps; yielded values are ignored. */
  run<T>(steps: Iterator<unknown, T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#add(() => {
        try {
          const step = steps.next()
          if (step.done) resolve(step.value)
          return !step.done
        } catch (error) {
          reject(error)
          return false
        }
      })
    })
  }

  /** Resolves in a turn in which no other job follows, for work whose time is not measured here. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#add(() => {
        resolve()
        return 'alone'
      })
    })
  }

  /** A text whose parts are made when they are read. */
  async *text(parts: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
    await this.turn()
    let text = ''
    let end = this.#turns.clock() + SHARE
    for await (const part of parts) {
      text += part
      if (text.length < PART && this.#turns.clock() < end) continue
      yield text
      text = ''
      await this.turn()
      end = this.#turns.clock() + SHARE
    }
    if (text !== '') yield text
  }

  #add(job: Job): void {
    this.#jobs.push(job)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled || this.#jobs.length === 0) return
    this.#isScheduled = true
    this.#turns.later(this.#work)
  }

  readonly #work = (): void => {
    this.#isScheduled = false
    const { clock } = this.#turns
    let now = clock()
    const end = now + TURN
    for (let job = this.#jobs.shift(); job; job = now < end ? this.#jobs.shift() : undefined) {
      const shareEnds = Math.min(now + SHARE, end)
      let hasMore = job()
      for (now = clock(); hasMore === true && now < shareEnds; now = clock()) hasMore = job()
      if (hasMore === true) this.#jobs.push(job)
      if (hasMore === 'alone') break
    }
    this.#schedule()
  }
}

/** All steps in one turn. */
export function atOnce<T>(steps: Iterator<unknown, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value
}

/** All parts as one text, one step each. */
export function* textIn(parts: Iterable<string>): Generator<undefined, string> {
  let text = ''
  for (const part of parts) {
    text += part
    yield
  }
  return text
}
