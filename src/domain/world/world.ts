import type { FaultInput } from '../../contract/generated/control.types.d.ts'
import { builtInKey, Keyring } from '../limits/key.ts'
import { draw, forgetWait, type Meter, newMeter, resetBan, resetLimits, withWait } from '../limits/meter.ts'
import { NO_PETS, Pets, type PetTable } from '../pets/collection.ts'
import { StateSize } from '../pets/state-size.ts'
import { copyOf as copyOfText } from '../text/listed.ts'
import { Budget } from '../traffic/budget.ts'
import { Duplicates } from '../traffic/duplicates.ts'
import type { Exchange } from '../traffic/exchange.ts'
import { Faults } from '../traffic/fault.ts'
import { type Finding, findingsOf, type Observed } from '../traffic/findings.ts'
import { Holds } from '../traffic/hold.ts'
import { Journal } from '../traffic/journal.ts'
import { Tally } from '../traffic/tally.ts'
import { chanceAt, chanceOf, nextChance } from './chance.ts'
import { Clock, shifted } from './clock.ts'
import { type Found, type Gone, History, type Point, type Position } from './history.ts'
import { bytesOfReplaced, type Collections, copyOf, type Image, undo, type WorldState } from './state.ts'
import type { CollectionName, StoredKey, StoredNamespace } from './stored.ts'

/** What every namespace begins with. */
export interface Start {
  readonly pets: PetTable
  readonly keys: readonly StoredKey[]
  readonly seed: number
  /** Where its clock starts; undefined = real time. */
  readonly now: number | undefined
  readonly frozen: boolean
  /** What it begins with, and goes back to. */
  readonly faults?: readonly FaultInput[]
  /** Valid in every namespace, whatever is stored. */
  readonly givenKeys?: readonly StoredKey[]
}

/** What is kept of a world beside its state. */
export interface WorldMarks {
  readonly turned: boolean
  readonly admitted: boolean
  readonly hasChanged: boolean
  readonly setByHand: readonly ('limits' | 'bans')[]
  readonly controls: number
  readonly gone?: Gone
}

/** What all worlds share beside the start. */
export interface Shared {
  readonly budget: Budget
  readonly stateSize: StateSize
}

/** One isolated world: everything that a namespace owns. Real time comes in as `real`, in milliseconds. */
export class World {
  readonly name: string
  readonly start: Start
  readonly clock = new Clock()
  collections: Collections
  readonly keys: Keyring
  /** Of all namespaces together. */
  readonly stateSize: StateSize
  readonly faults = new Faults()
  readonly holds = new Holds()
  readonly duplicates: Duplicates
  journal: Journal
  tally: Tally
  readonly history: History
  /** Counts how often it went back: what began before belongs to a past that is gone. */
  epoch = 0
  /** True once its clock was turned by hand. */
  turned = false
  /** What the control API has set of limits and bans since they were reset. */
  readonly setByHand = new Set<'limits' | 'bans'>()
  /** True once a valid key came here: a refused one does not make it worth keeping. */
  admitted = false
  /** Told before it forgets what happened. */
  onForget: (world: World) => void = () => {}
  readonly #budget: Budget
  readonly #inherited: Keyring | undefined
  #meters = new Map<string, Meter>()
  #chance: number
  #requests = 0
  #label: string | undefined
  /** A control call that is being carried out. */
  #called: (Position & Pick<Point, 'what' | 'headers'>) | undefined
  #isLogged = false

  constructor(
    name: string,
    start: Start,
    stored: StoredNamespace | undefined,
    inherited: Keyring | undefined,
    { budget, stateSize }: Shared,
    real: number,
  ) {
    this.name = copyOfText(name)
    this.start = start
    this.stateSize = stateSize
    this.collections = {
      pets: stored?.pets ?? new Pets(start.pets),
      empty: stored?.empty ?? new Pets(NO_PETS),
    }
    this.keys = new Keyring(stored?.keys ?? start.keys, inherited)
    this.#inherited = inherited
    this.#budget = budget
    this.history = new History(budget, (image) => release(image))
    this.journal = this.#newJournal()
    this.duplicates = new Duplicates(budget)
    this.tally = new Tally(budget)
    this.#chance = chanceOf(start.seed, name)
    this.#watch()
    this.resetClock(real)
    this.#beginFaults(real)
    this.#isLogged = true
  }

  /** What has to be undone to go back. */
  #log(image: Image, bytes?: number): void {
    if (this.#isLogged) this.history.log(image, bytes)
  }

  #watch(): void {
    this.keys.replaced = (before) => this.#log({ part: 'keys', before })
    this.faults.changed = (before) => this.#log({ part: 'faults', before })
    this.holds.changed = (before) => this.#log({ part: 'holds', before })
    this.duplicates.changed = (mark, before, gone) => this.#log({ part: 'note', mark, before, gone })
    this.#watchPets()
  }

  #watchPets(): void {
    for (const collection of ['pets', 'empty'] as const) {
      const pets = this.collections[collection]
      pets.grew = this.stateSize.add
      pets.changed = (id, before, nextId) => this.#log({ part: 'pet', collection, id, before, nextId })
    }
  }

  #newJournal(): Journal {
    return new Journal(this.#budget, (exchange, isFull) =>
      this.history.forgetRequest(exchange, isFull ? 'journal' : 'budget'),
    )
  }

  /** The next number in [0, 1) of its stream of chance. */
  readonly chance = (): number => {
    this.#log({ part: 'chance', before: this.#chance })
    this.#chance = nextChance(this.#chance)
    return chanceAt(this.#chance)
  }

  /** The test that its requests belong to, unless they name one themselves. */
  get label(): string | undefined {
    return this.#label
  }

  set label(label: string | undefined) {
    this.#log({ part: 'label', before: this.#label })
    this.#label = label
  }

  now(real: number): number {
    return this.clock.at(real)
  }

  /** The meter of a key, as it is now. */
  meter(key: string): Meter {
    return this.#meters.get(key) ?? newMeter(builtInKey(key)?.armed)
  }

  /** Every change of a meter is a new one. */
  setMeter(key: string, meter: Meter): void {
    const before = this.#meters.get(key)
    const name = before ? key : copyOfText(key)
    this.#log({ part: 'meter', key: name, before })
    this.#meters.set(name, meter)
  }

  /**
   * What is found about an exchange that ends now, and takes down what its key is told: to wait for `retryAfter`
   * seconds. `key`: undefined where no valid one came.
   */
  settle(observed: Observed, key: string | undefined, retryAfter: number | undefined): readonly Finding[] {
    if (key === undefined) return findingsOf(observed, undefined)
    const before = this.meter(key)
    const after = withWait(before, observed.at, retryAfter)
    if (after !== before) this.setMeter(key, after)
    return findingsOf(observed, before)
  }

  /** Where a request begins, at `real` in real time. */
  positionAt(real: number): Position {
    return { at: this.history.position, real }
  }

  /** Records an exchange that has ended, and that began at a position. */
  record(exchange: Exchange, before: Position): void {
    const { id, at, ms } = exchange
    this.#log({ part: 'exchange', exchange })
    this.tally.count(exchange)
    this.journal.record(exchange, this.history.takeBytes())
    const after = { at: this.history.position, real: before.real + ms }
    this.history.request({ id, at, before, after, exchange })
  }

  /** An exchange turned out otherwise after it was taken down. */
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
    this.#log({ part: 'requests', before: this.#requests })
    return `req_${String(++this.#requests).padStart(6, '0')}`
  }

  /** True where this answer is the one in `every` that a flaky key loses. */
  failsNow(key: string, every: number): boolean {
    const meter = draw(this.meter(key))
    this.setMeter(key, meter)
    return meter.drawn % every === 0
  }

  /** Moves the clock; when it goes back, windows and bans start anew. */
  turnClock(real: number, turn: (clock: Clock) => void): void {
    const before = this.now(real)
    const { state } = this.clock
    turn(this.clock)
    this.#log({ part: 'clock', before: state })
    this.turned = true
    if (this.now(real) >= before) return
    this.#changeMeters(({ drawn }, armed) => ({ ...newMeter(armed), drawn }))
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
    this.#changeMeters(resetLimits)
    this.setByHand.delete('limits')
  }

  resetBans(): void {
    this.#changeMeters(resetBan)
    this.setByHand.delete('bans')
  }

  #changeMeters(change: (meter: Meter, armed: Meter['armed']) => Meter): void {
    if (this.#meters.size === 0) return
    this.#log({ part: 'meters', before: this.#meters })
    this.#meters = new Map(
      Array.from(this.#meters, ([key, meter]) => [key, change(meter, builtInKey(key)?.armed)]),
    )
  }

  resetFaults(real: number): void {
    this.faults.reset()
    this.holds.reset()
    this.#beginFaults(real)
    this.#changeMeters((meter) => ({ ...meter, drawn: 0 }))
    this.#log({ part: 'chance', before: this.#chance })
    this.#chance = chanceOf(this.start.seed, this.name)
  }

  #beginFaults(real: number): void {
    for (const rule of this.start.faults ?? []) this.faults.add(rule, this.now(real))
  }

  /** Forgets what happened: journal, report and request ids. History remembers it still. */
  resetRequests(): void {
    this.onForget(this)
    this.#log({ part: 'journal', before: this.journal })
    this.journal = this.#newJournal()
    this.#log({ part: 'duplicates', before: this.duplicates.notes() })
    this.duplicates.clear()
    this.#log({ part: 'tally', before: this.tally })
    this.tally = new Tally(this.#budget)
    this.#changeMeters(forgetWait)
    this.#log({ part: 'requests', before: this.#requests })
    this.#requests = 0
    this.admitted = false
  }

  /** Empties the journal, and with it ends what can be gone back to. */
  clearJournal(): void {
    this.journal.clear()
    this.endHistory('cleared')
  }

  endHistory(gone: Gone): void {
    this.#called = undefined
    this.history.end(gone)
  }

  /** Puts other pets in the place of a collection. */
  setPets(collection: CollectionName, table: PetTable): void {
    this.#put({ [collection]: new Pets(table) })
  }

  /** What survives a restart, as it is at this instant. */
  stored(): StoredNamespace {
    const { pets, empty } = this.collections
    const isEmpty = empty.isUnchanged && empty.table === NO_PETS
    return { pets: pets.copy(), ...(!isEmpty && { empty: empty.copy() }), keys: this.keys.stored }
  }

  /** Puts what survives a restart back to what it was. */
  restoreStored({ pets, empty, keys }: StoredNamespace): void {
    this.#put({ pets, empty: empty ?? new Pets(NO_PETS) })
    this.keys.replace(keys)
  }

  #put(collections: Partial<Record<CollectionName, Pets>>): void {
    const before = this.collections
    this.collections = { ...before, ...collections }
    const replaced = Object.entries(before).filter(([name]) => name in collections)
    for (const [, pets] of replaced) {
      pets.grew = () => {}
      pets.changed = undefined
    }
    this.#watchPets()
    this.stateSize.recount()
    const isShared = ({ table }: Pets) => table === this.start.pets || table === this.collections.pets.table
    const bytes = replaced.reduce((sum, [, pets]) => sum + bytesOfReplaced(pets, isShared(pets)), 0)
    this.#log({ part: 'collections', before: Object.fromEntries(replaced) }, bytes)
  }

  /** Everything that a reply depends on, as it is at this instant. It takes no longer where there are more pets. */
  capture(): WorldState {
    return {
      collections: copyOf(this.collections),
      keys: this.keys.stored,
      meters: new Map(this.#meters),
      clock: this.clock.state,
      faults: this.faults.state,
      holds: this.holds.made,
      chance: this.#chance,
      requests: this.#requests,
      label: this.#label,
      duplicates: this.duplicates.notes(),
      journal: this.journal.entries(),
      tally: this.tally.copy(),
    }
  }

  /** What `capture` told at a position of its history. */
  stateAt(position: Position): WorldState {
    const state = this.capture()
    for (const image of this.history.back(position.at)) undo(state, image)
    return state
  }

  /** Puts everything to what it was, in this world or in another one; history does not know of it. */
  restore(state: WorldState): void {
    this.#isLogged = false
    this.#put(copyOf(state.collections))
    if (this.keys.stored !== state.keys) this.keys.replace(state.keys)
    this.#meters = new Map(state.meters)
    this.clock.state = state.clock
    this.faults.state = state.faults
    this.holds.made = state.holds
    this.#chance = state.chance
    this.#requests = state.requests
    this.#label = state.label
    this.duplicates.restore(state.duplicates)
    this.journal.restore(state.journal)
    this.tally.release()
    this.tally = state.tally.copy(this.#budget)
    this.#isLogged = true
  }

  /**
   * Goes back to a position. Its clock runs on from there, and what is being answered belongs to a past that is gone.
   * Returns how to take that back.
   */
  rewind(position: Found, real: number): () => void {
    const [before, putBack] = [this.capture(), this.history.save()]
    const state = this.stateAt(position)
    this.#goBack({ ...state, clock: shifted(state.clock, position.real, real) })
    this.history.cut(position)
    // What lies before went by the clock as it stood to the real time of then.
    this.#log({ part: 'clock', before: state.clock })
    return () => {
      this.#goBack(before)
      putBack()
    }
  }

  #goBack(state: WorldState): void {
    this.epoch++
    this.turned = true
    this.admitted = true
    this.#called = undefined
    this.holds.releaseWhere(() => true)
    this.restore(state)
  }

  /** Whether anything happened here since it was made. */
  get hasChanged(): boolean {
    return this.history.position > 0
  }

  /** Takes over the state of another world, of which it knows no history. Returns how to take that back. */
  become(state: WorldState): () => void {
    const before = this.capture()
    this.#goBack(state)
    return () => this.#goBack(before)
  }

  /** Takes over the state and the marks of a world that was recorded. */
  continueFrom(state: WorldState, marks: WorldMarks): void {
    this.#goBack(state)
    this.turned = marks.turned
    this.admitted = marks.admitted
    for (const mark of marks.setByHand) this.setByHand.add(mark)
    this.history.continueFrom(marks.controls, marks.gone)
    if (marks.hasChanged) this.label = state.label
  }

  /** What tells whether it is in use, and how its history goes on. */
  get marks(): WorldMarks {
    const { turned, admitted, hasChanged, history } = this
    const { controls, gone } = history
    return { turned, admitted, hasChanged, setByHand: [...this.setByHand], controls, ...(gone && { gone }) }
  }

  /** A world that nobody knows of, as this one was at a position. */
  view(position: Position): World {
    const shared = { budget: new Budget(), stateSize: new StateSize(Infinity, () => 0) }
    const view = new World(this.name, this.start, undefined, this.#inherited, shared, position.real)
    view.restore(this.stateAt(position))
    return view
  }
}

/** Nobody can go back to it any more. */
function release(image: Image): void {
  if (image.part === 'journal') image.before.clear()
  if (image.part === 'tally') image.before.release()
}
