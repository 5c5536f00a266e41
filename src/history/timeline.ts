/** The real one, whatever timers a test in this process may fake later. */
const { setImmediate } = globalThis

interface Sleeper {
  readonly due: number
  readonly wake: () => void
}

/**
 * Applies commands one after the other, at the instants that they carry. Its time is the only time that commands
 * know: it stands still while one is applied and never goes back. Instants are milliseconds since the epoch.
 */
export class Timeline {
  #now: number
  /** By due, then in the order of falling asleep. */
  readonly #sleepers: Sleeper[] = []
  /** Ends when everything that is due has woken; undefined while nothing is. */
  #waking: Promise<void> | undefined
  /** Called when a sleeper is due before all others. */
  onDue: (due: number) => void = () => {}

  constructor(now: number) {
    this.#now = now
  }

  readonly now = (): number => this.#now

  /**
   * Applies a command at an instant, after every sleeper that is due by then has woken, at its own instant, and gone
   * to rest. It is applied at once where none is due, which is the usual case.
   */
  run<T>(at: number, act: () => T): T | Promise<Awaited<T>> {
    if (this.#waking || (this.#sleepers[0] && this.#sleepers[0].due <= at)) {
      return this.advance(at).then(() => this.#apply(at, act)) as Promise<Awaited<T>>
    }
    return this.#apply(at, act)
  }

  /** Says what time it is: wakes whoever is due. */
  async advance(at: number): Promise<void> {
    const before = this.#waking
    const waking = (before ?? Promise.resolve()).then(() => this.#wakeUntil(at))
    this.#waking = waking
    await waking
    if (this.#waking === waking) this.#waking = undefined
  }

  /** Resolves `milliseconds` from now. */
  readonly sleep = (milliseconds: number): Promise<void> =>
    new Promise((wake) => {
      const due = this.#now + Math.max(0, milliseconds)
      const place = this.#sleepers.findIndex((other) => other.due > due)
      this.#sleepers.splice(place < 0 ? this.#sleepers.length : place, 0, { due, wake })
      if (this.#sleepers[0]?.due === due) this.onDue(due)
    })

  /** Wakes everybody, as nothing comes any more. */
  end(): void {
    for (const { wake } of this.#sleepers.splice(0)) wake()
  }

  #apply<T>(at: number, act: () => T): T {
    this.#now = Math.max(this.#now, at)
    return act()
  }

  async #wakeUntil(at: number): Promise<void> {
    for (;;) {
      const [first] = this.#sleepers
      if (!first || first.due > at) break
      this.#sleepers.shift()
      this.#now = Math.max(this.#now, first.due)
      first.wake()
      // It runs until it rests before the next one wakes.
      await new Promise((resolve) => setImmediate(resolve))
    }
    this.#now = Math.max(this.#now, at)
    const [next] = this.#sleepers
    if (next) this.onDue(next.due)
  }
}
