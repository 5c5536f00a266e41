import { chanceAt, chanceOf, nextChance } from '../time/chance.ts'
import { type Clock, shifted } from '../time/clock.ts'
import type { Gone, Point, Position, RequestPoint } from './history.ts'
import type { Keyring } from './keys/key.ts'
import { draw, forgetWait, type Meter, newMeter, resetBan, resetLimits, withWait } from './limits/meter.ts'
import { type Shared, WorldParts } from './parts.ts'
import type { Start } from './start.ts'
import type { Image, WorldState } from './state.ts'
import type { StoredNamespace } from './stored.ts'
import type { Exchange } from './traffic/exchange.ts'
import { type Finding, findingsOf, type Observed } from './traffic/findings.ts'
import { Tally } from './traffic/tally.ts'

const REQUEST_ID: Image = { part: 'request id' }

/** One isolated world: everything that a namespace owns. Real time comes in as `real`, in milliseconds. */
export class World extends WorldParts {
  /** Counts the states that it took over: a request that came before refers to an earlier state. */
  epoch = 0
  /** True once its clock was set by hand. */
  turned = false
  /** What the control API has set of limits and bans since they were reset. */
  readonly setByHand = new Set<'limits' | 'bans'>()
  /** True once a request with a valid key was received: a refused request is no reason to keep a namespace. */
  admitted = false
  /** Called before it forgets its requests. */
  onForget: (world: World) => void = () => {}
  /** Called when nothing that happened so far can be gone back to any more. */
  onHistoryEnd: (world: World) => void = () => {}
  /** A control call that is being carried out. */
  #called: (Position & Pick<Point, 'what' | 'headers'>) | undefined

  constructor(
    name: string,
    start: Start,
    stored: StoredNamespace | undefined,
    inherited: Keyring | undefined,
    shared: Shared,
    real: number,
  ) {
    super(name, start, stored, inherited, shared)
    this.resetClock(real)
    this.#addStartFaults(real)
    this.isLogged = true
  }

  /** The next number in [0, 1) of its stream of chance. */
  readonly chance = (): number => {
    this.log({ part: 'chance', before: this.chanceState })
    this.chanceState = nextChance(this.chanceState)
    return chanceAt(this.chanceState)
  }

  now(real: number): number {
    return this.clock.at(real)
  }

  /** The meter of a key, as it is now. */
  meter(key: string): Meter {
    return this.meters.of(key)
  }

  /** Every change of a meter is a new one. */
  setMeter(key: string, meter: Meter): void {
    this.meters.set(key, meter)
  }

  /**
   * Returns the findings of an exchange that ends now, and stores that its key has to wait for `retryAfter` seconds.
   * `key`: undefined where no valid one was received.
   */
  settle(observed: Observed, key: string | undefined, retryAfter: number | undefined): readonly Finding[] {
    if (key === undefined) return findingsOf(observed, undefined)
    const before = this.meter(key)
    const after = withWait(before, observed.at, retryAfter)
    if (after !== before) this.setMeter(key, after)
    return findingsOf(observed, before)
  }

  /** The position at which a request starts, at `real` in real time. */
  positionAt(real: number): Position {
    return { at: this.history.position, real }
  }

  /** Records an exchange that has ended, and that started at a position. */
  record(exchange: Exchange, before: Position): RequestPoint {
    this.tally.count(exchange)
    this.journal.record(exchange, this.history.takeBytes())
    return this.history.request(exchange, before)
  }

  /** Replaces a recorded exchange whose changes could not be stored. */
  amend(before: Exchange, exchange: Exchange): void {
    this.tally.count(before, -1)
    this.tally.count(exchange)
    this.journal.amend(before, exchange)
    this.history.amend(before, exchange)
  }

  /** A control call is about to change it, unless it reads only. */
  beginCall(what: string, headers: readonly string[], real: number): void {
    this.#called = { what, headers, at: this.history.position, real }
  }

  /** The control call that began last has changed it. */
  endCall(): void {
    if (!this.#called) return
    const { at, real, ...call } = this.#called
    this.#called = undefined
    const after = { at: this.history.position, real }
    this.history.control({ ...call, at: this.now(real), before: { at, real }, after })
  }

  /** `req_000001` and so on, as in `X-Request-Id`. */
  nextRequestId(): string {
    this.log(REQUEST_ID)
    return `req_${String(++this.requestCount).padStart(6, '0')}`
  }

  /** True where this answer is the one in `every` that a flaky key loses. */
  failsNow(key: string, every: number): boolean {
    const meter = draw(this.meter(key))
    this.setMeter(key, meter)
    return meter.drawn % every === 0
  }

  /** Sets the clock; where that sets it back, windows and bans are reset. */
  turnClock(real: number, turn: (clock: Clock) => void): void {
    const before = this.now(real)
    const { state } = this.clock
    turn(this.clock)
    this.log({ part: 'clock', before: state })
    this.turned = true
    if (this.now(real) >= before) return
    this.meters.change(({ drawn }, armed) => ({ ...newMeter(armed), drawn }))
  }

  resetClock(real: number): void {
    this.turnClock(real, (clock) => {
      clock.reset()
      if (this.start.now !== undefined) clock.set(this.start.now, real)
      if (this.start.frozen) clock.freeze(real)
    })
    this.turned = false
  }

  /** Every window full again, trigger keys armed again. */
  resetLimits(): void {
    this.meters.change(resetLimits)
    this.setByHand.delete('limits')
  }

  resetBans(): void {
    this.meters.change(resetBan)
    this.setByHand.delete('bans')
  }

  resetFaults(real: number): void {
    this.faults.reset()
    this.holds.reset()
    this.#addStartFaults(real)
    this.meters.change((meter) => ({ ...meter, drawn: 0 }))
    this.log({ part: 'chance', before: this.chanceState })
    this.chanceState = chanceOf(this.start.seed, this.name)
  }

  #addStartFaults(real: number): void {
    for (const rule of this.start.faults ?? []) this.faults.add(rule, this.now(real))
  }

  /** Clears journal, report and request ids; the history can still undo that. */
  resetRequests(): void {
    this.onForget(this)
    this.log({ part: 'journal', before: this.journal })
    this.journal = this.newJournal()
    this.log({ part: 'duplicates', before: this.duplicates.notes() })
    this.duplicates.clear()
    this.log({ part: 'tally', before: this.tally })
    this.tally = new Tally(this.budget)
    this.meters.change(forgetWait)
    this.log({ part: 'requests', before: this.requestCount })
    this.requestCount = 0
    this.admitted = false
  }

  /** Empties the journal, and with it the points to which the world can be rewound. */
  clearJournal(): void {
    this.journal.clear()
    this.endHistory('cleared')
  }

  endHistory(gone: Gone): void {
    this.#called = undefined
    this.history.end(gone)
    this.onHistoryEnd(this)
  }

  /** Takes over a state, its own earlier one or that of another world. Requests in progress are cancelled. */
  takeOver(state: WorldState): void {
    this.epoch++
    this.turned = true
    this.admitted = true
    this.#called = undefined
    this.holds.releaseWhere(() => true)
    this.restore(state)
  }

  /** Lets its clock show at `real` what it showed at `then`. */
  shiftClock(then: number, real: number): void {
    const { state } = this.clock
    this.log({ part: 'clock', before: state })
    this.clock.state = shifted(state, then, real)
  }

  /** Whether anything happened here since it was made. */
  get hasChanged(): boolean {
    return this.history.position > 0
  }
}
