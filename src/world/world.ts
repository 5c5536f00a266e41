import type { Namespace, PointView } from '../contract/generated/control.types.d.ts'
import { copyOf } from '../text/shorten.ts'
import { chanceAt, chanceOf, nextChance } from '../time/chance.ts'
import type { Clock } from '../time/clock.ts'
import type { Command } from './command.ts'
import type { Keyring } from './keys/key.ts'
import { newMeter, resetBan, resetLimits } from './limits/meter.ts'
import { type Content, capture, type Parts, partsOf, restore, type Start, type WorldState } from './parts.ts'
import { Past } from './past.ts'
import type { StateSize } from './pets/state-size.ts'
import type { Gone } from './point.ts'
import type { StoredNamespace } from './store.ts'
import type { Exchange } from './traffic/exchange.ts'

/** Receives the start and the end of each command. */
export interface CommandWatch extends Pick<Past, 'begin' | 'end'> {
  endCall(command: Command, id: string): PointView | undefined
}

/** One isolated world: all state of a namespace. Methods receive real time as `real`, in milliseconds. */
export class World {
  readonly name: string
  readonly start: Start
  /** The keys of `default`, which it accepts too; undefined for `default` itself. */
  readonly inherited: Keyring | undefined
  readonly past: Past
  readonly stateSize: StateSize
  readonly collections: Parts['collections']
  readonly keys: Parts['keys']
  readonly meters: Parts['meters']
  readonly clock: Parts['clock']
  readonly faults: Parts['faults']
  readonly holds: Parts['holds']
  readonly duplicates: Parts['duplicates']
  readonly journal: Parts['journal']
  readonly tally: Parts['tally']
  readonly label: Parts['label']
  readonly #parts: Parts
  /** Incremented when another state is taken over: a request with an older number was received before that. */
  epoch = 0
  /** The event that ended the last epoch. */
  cancelled: 'rewound' | 'dropped' = 'rewound'
  /** Whether the store has it: from its first change on. */
  isStored = false
  /** Whether it has snapshots, which would stay behind if it were dropped to make room. */
  hasSnapshots = false
  /** True after its clock was set by hand. */
  turned = false
  /** The world and the point of which it is a copy. */
  origin: Namespace['origin']
  /** Whether the control API has set limits or bans since they were reset. */
  readonly setByHand = new Set<'limits' | 'bans'>()
  /** True after a request with a valid key. Refused requests alone do not keep a namespace. */
  admitted = false
  /** Called before its requests are dropped, or only those of a branch. */
  onForget = (_branch?: readonly Exchange[]): void => {}
  /** The history, unless the world is detached. */
  watch: CommandWatch
  /** The control call in progress. */
  #called: Command | undefined
  /** False while the world is made or a state is restored: what this replaces is not counted for the history. */
  #isInPlace = false

  constructor(content: Content, real: number) {
    const { name, start, inherited, stateSize, budget } = content
    this.name = copyOf(name)
    this.start = start
    this.inherited = inherited
    this.stateSize = stateSize
    this.past = new Past(budget, () => this.capture(), content.stored && 'stored')
    this.past.onDrop = (branch) => this.onForget(branch)
    this.watch = this.past
    this.#parts = partsOf({
      ...content,
      onChange: (added, replaced) => {
        if (!this.#isInPlace) return
        if (added === undefined) stateSize.recount()
        else stateSize.add(added)
        // A captured state may still contain it.
        if (replaced > 0) this.past.keepReplaced(replaced)
      },
      ended: () => this.past.ended,
    })
    const { collections, keys, meters, clock, faults, holds, duplicates, journal, tally, label } = this.#parts
    this.collections = collections
    this.keys = keys
    this.meters = meters
    meters.onDrop = () => this.past.interrupt()
    this.clock = clock
    this.faults = faults
    this.holds = holds
    this.duplicates = duplicates
    this.journal = journal
    this.tally = tally
    this.label = label
    this.resetClock(real)
    this.#addStartFaults(real)
    this.#isInPlace = true
  }

  /** The next random number in [0, 1) of this namespace. */
  readonly chance = (): number => {
    const { chance } = this.#parts
    chance.value = nextChance(chance.value)
    return chanceAt(chance.value)
  }

  now(real: number): number {
    return this.clock.at(real)
  }

  /** A request has ended: adds its exchange to report, journal and history. */
  end(command: Command, exchange: Exchange): void {
    this.tally.count(exchange)
    this.journal.count()
    this.watch.end(command, exchange)
  }

  /** Replaces the exchange of an ended request whose changes could not be stored. */
  amend(command: Command, exchange: Exchange): void {
    // The report has no requests that a rewind has undone.
    if (command.ended >= this.#parts.reportedSince.value && this.past.ended.includes(command)) {
      this.tally.count(command.exchange as Exchange, -1)
      this.tally.count(exchange)
    }
    command.exchange = exchange
  }

  /** A control call that may change the world begins. */
  beginCall(command: Command): void {
    this.#called = command
    command.asCall().shownAt = this.now(command.at)
    this.watch.begin(command, false)
  }

  /** The control call in progress has changed the world. */
  endCall(): PointView | undefined {
    const called = this.#called
    if (!called) return undefined
    this.#called = undefined
    this.keepClockAfter(called)
    return this.watch.endCall(called, `ctl_${String(++this.#parts.controls.value).padStart(6, '0')}`)
  }

  /** Keeps what the clock shows after a control call. */
  keepClockAfter(called: Command): void {
    const call = called.asCall()
    call.shownAfter = this.now(called.at)
    call.isFrozen = this.clock.frozen
  }

  /** `req_000001` and so on, as in `X-Request-Id`. */
  nextRequestId(): string {
    return `req_${String(++this.#parts.requests.value).padStart(6, '0')}`
  }

  /** Sets the clock. If that sets it back, windows and bans are reset. */
  turnClock(real: number, turn: (clock: Clock) => void): void {
    const before = this.now(real)
    turn(this.clock)
    this.turned = true
    if (this.now(real) >= before) return
    this.meters.change((meter, armed) => Object.assign(meter, newMeter(armed), { drawn: meter.drawn }))
  }

  resetClock(real: number): void {
    this.turnClock(real, (clock) => {
      clock.reset()
      if (this.start.now !== undefined) clock.set(this.start.now, real)
      if (this.start.frozen) clock.freeze(real)
    })
    this.turned = false
  }

  /** Refills every window and arms the trigger keys again. */
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
    this.meters.change((meter) => {
      meter.drawn = 0
    })
    this.#parts.chance.value = chanceOf(this.start.seed, this.name)
  }

  #addStartFaults(real: number): void {
    for (const rule of this.start.faults ?? []) this.faults.add(rule, this.now(real))
  }

  /** Clears journal and report. The numbers of ids continue, so that each point keeps an id of its own. */
  resetRequests(): void {
    this.onForget()
    // A control call that is applied again keeps its place in the history.
    const since = this.#called ? this.#called.began + 1 : this.past.position
    this.#parts.reportedSince.value = since
    this.journal.clear(since)
    this.duplicates.reset()
    this.tally.reset()
    this.meters.change((meter) => {
      meter.wait = undefined
    })
    this.admitted = false
  }

  /** Clears the journal, and with it the points to which the world can be rewound. */
  clearJournal(gone: Gone = 'cleared'): void {
    this.onForget()
    this.#called = undefined
    this.past.clear(gone)
    this.journal.clear(this.past.position)
  }

  /** The namespace was dropped: releases the memory of its requests. */
  forget(): void {
    this.resetRequests()
    this.clearJournal()
    this.holds.reset()
  }

  capture(): WorldState {
    return capture(this.#parts)
  }

  /** Restores a captured state of this world or of another one. */
  restore(state: WorldState): void {
    this.#isInPlace = false
    restore(this.#parts, state)
    this.#isInPlace = true
    this.stateSize.recount()
  }

  /** Replaces the state: with an earlier one, or with that of another world. Requests in progress are cancelled. */
  takeOver(state: WorldState): void {
    this.cancel('rewound')
    this.turned = true
    this.admitted = true
    this.#called = undefined
    this.restore(state)
  }

  /** Requests in progress are refused from now on. */
  cancel(why: World['cancelled']): void {
    this.epoch++
    this.cancelled = why
    this.past.cancel()
    this.holds.releaseWhere(() => true)
  }

  /** The current state that survives a restart. */
  stored(): StoredNamespace {
    return { ...this.collections.capture(), keys: this.keys.stored }
  }

  /** Restores the state that survives a restart, after a change that could not be stored. */
  restoreStored({ keys, ...collections }: StoredNamespace): void {
    this.collections.restore(collections)
    this.keys.restore(keys)
  }

  /** Whether state that is not stored was set by hand: such a namespace is not dropped to make room. */
  get isTouched(): boolean {
    const { start, turned, setByHand, faults } = this
    return turned || setByHand.size > 0 || faults.list().length !== (start.faults?.length ?? 0)
  }

  /** Whether a fork into this namespace would overwrite something. */
  get hasChanged(): boolean {
    return this.#parts.requests.value > 0 || this.label.value !== undefined || this.isTouched
  }
}
