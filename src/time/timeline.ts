interface Sleeper {
  due: number
  readonly wake: () => void
}

interface Waiting {
  readonly at: number
  /** Whether it may set the clock back. */
  readonly isCommand: boolean
  /** Whether all others wait until what it returns has ended. */
  readonly isAlone: boolean
  readonly act: (from: number) => unknown
}

/** A clock that reads this many milliseconds less than before was set back; a timer fires less early than that. */
const SET_BACK = 10

/**
 * Applies commands one after the other, at the instants that they carry. Its time is the only time that commands
 * know: it does not advance while one is applied, and is set back only with the clock. Instants are
 * milliseconds since the epoch.
 */
export class Timeline {
  #now: number
  readonly turn: () => Promise<void>
  /** By due, then in the order of their calls. */
  readonly #sleepers: Sleeper[] = []
  /** Commands that arrived while sleepers were waking. */
  readonly #waiting: Waiting[] = []
  #isWaking = false
  #isEnded = false
  /** Called when a sleeper is due before all others. */
  onDue: (due: number) => void = () => {}

  /** `turn`: resolves in the next turn of the event loop. */
  constructor(now: number, turn: () => Promise<void>) {
    this.#now = now
    this.turn = turn
  }

  readonly now = (): number => this.#now

  /** The number of sleepers. */
  get sleeping(): number {
    return this.#sleepers.length
  }

  /** Whether nothing sleeps. */
  get isIdle(): boolean {
    return this.#sleepers.length === 0
  }

  /** The instant at which the next sleeper wakes; Infinity where nothing sleeps. */
  get due(): number {
    return this.#sleepers[0]?.due ?? Infinity
  }

  /** The instant of a command when the clock reads `clock`. */
  instantOf(clock: number): number {
    return clock < this.#now - SET_BACK ? clock : Math.max(clock, this.#now)
  }

  /**
   * Applies a command at an instant, after every sleeper that is due by then has woken, at its own instant, and has
   * ended or sleeps again. It is applied at once where none is due, which is the usual case. `from`: the instant
   * before; it is later where the clock was set back. `isAlone`: nothing else is applied, and nothing wakes, until what
   * it returns has ended.
   */
  run<T>(at: number, act: (from: number) => T, isAlone = false): T | Promise<Awaited<T>> {
    if (!isAlone && !this.#isWaking && !this.#isDueBefore(at)) return act(this.#goTo(at))
    return this.#wait({ at, isCommand: true, isAlone }, act)
  }

  /** Wakes every sleeper that is due by then. */
  async advance(at: number): Promise<void> {
    await this.#wait({ at, isCommand: false, isAlone: false }, () => {})
  }

  #wait<T>(how: Omit<Waiting, 'act'>, act: (from: number) => T): Promise<Awaited<T>> {
    return new Promise((resolve, reject) => {
      const apply = (from: number) => {
        try {
          const made = act(from)
          resolve(made as Awaited<T>)
          return made
        } catch (error) {
          reject(error)
          return undefined
        }
      }
      this.#waiting.push({ ...how, act: apply })
      void this.#applyWaiting()
    })
  }

  /** Resolves `milliseconds` from now, or when a command aborts one of the signals. */
  readonly sleep = (milliseconds: number, ...signals: readonly AbortSignal[]): Promise<void> =>
    new Promise((wake) => {
      if (this.#isEnded || signals.some(({ aborted }) => aborted)) return wake()
      const sleeper = { due: 0, wake }
      this.#add(sleeper, this.#now + Math.max(0, Math.ceil(milliseconds)))
      for (const signal of signals) signal.addEventListener('abort', () => this.#wakeEarly(sleeper))
    })

  /** Wakes every sleeper; from then on nothing sleeps. */
  end(): void {
    this.#isEnded = true
    for (const { wake } of this.#sleepers.splice(0)) wake()
  }

  /** It is due now: what wakes it is still at work, and the next command waits until it has woken. */
  #wakeEarly(sleeper: Sleeper): void {
    const place = this.#sleepers.indexOf(sleeper)
    if (place < 0) return
    this.#sleepers.splice(place, 1)
    this.#add(sleeper, this.#now)
  }

  #add(sleeper: Sleeper, due: number): void {
    sleeper.due = due
    const place = this.#sleepers.findIndex((other) => other.due > due)
    this.#sleepers.splice(place < 0 ? this.#sleepers.length : place, 0, sleeper)
    if (this.#sleepers[0] === sleeper) this.onDue(due)
  }

  /** A command that comes with an earlier instant, because the clock was set back, still comes after them. */
  #isDueBefore(at: number): boolean {
    const [first] = this.#sleepers
    return first !== undefined && first.due <= Math.max(at, this.#now)
  }

  async #applyWaiting(): Promise<void> {
    if (this.#isWaking) return
    this.#isWaking = true
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      await this.#wakeUntil(next.at)
      const made = next.act(this.#goTo(next.isCommand ? next.at : Math.max(next.at, this.#now)))
      if (next.isAlone && made instanceof Promise) await made.catch(() => {})
    }
    this.#isWaking = false
    const [first] = this.#sleepers
    if (first) this.onDue(first.due)
  }

  /** Returns the instant before. Sleepers sleep as long as before where the clock is set back. */
  #goTo(at: number): number {
    const from = this.#now
    this.#now = this.instantOf(at)
    if (this.#now >= from) return from
    for (const sleeper of this.#sleepers) sleeper.due -= from - this.#now
    const [first] = this.#sleepers
    if (first) this.onDue(first.due)
    return from
  }

  async #wakeUntil(at: number): Promise<void> {
    while (this.#isDueBefore(at)) {
      const { due, wake } = this.#sleepers.shift() as Sleeper
      this.#now = Math.max(this.#now, due)
      wake()
      // It runs until it waits again before the next one wakes.
      await this.turn()
    }
  }
}
