interface Sleeper {
  due: number
  readonly wake: () => void
}

interface Waiting {
  readonly at: number
  /** Whether it is a command, which may set the clock back. */
  readonly isCommand: boolean
  /** Whether no other one runs until its result is there. */
  readonly isAlone: boolean
  readonly act: (from: number) => unknown
}

/** A clock that is this many milliseconds behind was set back; timers fire early by less than that. */
const SET_BACK = 10

/**
 * Applies commands one after the other, at the instants that they carry. Commands know no other time: it does not
 * advance while a command is applied, and goes back only when the system clock is set back. Instants are milliseconds
 * since the epoch.
 */
export class Timeline {
  #now: number
  readonly turn: () => Promise<void>
  /** Sorted by due, then by the order of the calls. */
  readonly #sleepers: Sleeper[] = []
  /** Commands that arrived while sleepers were woken. */
  readonly #waiting: Waiting[] = []
  #isWaking = false
  #isEnded = false
  /** Called when a new sleeper is the first that is due. */
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

  /** Whether a command has to wait for others. */
  get isBusy(): boolean {
    return this.#isWaking
  }

  /** The instant at which the next sleeper wakes; Infinity if there is none. */
  get due(): number {
    return this.#sleepers[0]?.due ?? Infinity
  }

  /** The instant for a command when the clock shows `clock`. */
  instantOf(clock: number): number {
    return clock < this.#now - SET_BACK ? clock : Math.max(clock, this.#now)
  }

  /**
   * Applies a command at an instant. First every sleeper that is due by then wakes, at its own instant, and ends or
   * sleeps again; usually none is due, and the command is applied at once. `from`: the instant before, which is later
   * if the clock was set back. `isAlone`: until its result is there, no other command is applied and no sleeper wakes.
   */
  run<T>(at: number, act: (from: number) => T, isAlone = false): T | Promise<Awaited<T>> {
    if (!isAlone && !this.#isWaking && !this.#isDueBefore(at)) return act(this.#goTo(at))
    return this.#wait({ at, isCommand: true, isAlone }, act)
  }

  /** Wakes every sleeper that is due by an instant. */
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

  /** Wakes every sleeper. After that, nothing sleeps. */
  end(): void {
    this.#isEnded = true
    for (const { wake } of this.#sleepers.splice(0)) wake()
  }

  /** Makes a sleeper due now. The command in progress continues first; the next one waits until the sleeper has woken. */
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

  /** If the clock was set back, a later command may have an earlier instant; it waits for these sleepers too. */
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

  /** Returns the instant before. If the clock is set back, sleepers sleep as long as before. */
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
      // Lets it run until it waits again, before the next sleeper wakes.
      await this.turn()
    }
  }
}
