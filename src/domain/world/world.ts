import type { FaultInput } from '../../contract/generated/control.types.d.ts'
import { builtInKey, Keyring } from '../limits/key.ts'
import { draw, forgetWait, type Meter, newMeter, resetBan, resetLimits, withWait } from '../limits/meter.ts'
import { NO_PETS, Pets, type PetTable } from '../pets/collection.ts'
import type { StateSize } from '../pets/state-size.ts'
import type { Budget } from '../traffic/budget.ts'
import { Duplicates } from '../traffic/duplicates.ts'
import { Faults } from '../traffic/fault.ts'
import { type Finding, findingsOf, type Observed } from '../traffic/findings.ts'
import { Holds } from '../traffic/hold.ts'
import { Journal } from '../traffic/journal.ts'
import { Tally } from '../traffic/tally.ts'
import { chance } from './chance.ts'
import { Clock } from './clock.ts'
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
  collections: Readonly<Record<CollectionName, Pets>>
  readonly keys: Keyring
  /** Of all namespaces together. */
  readonly stateSize: StateSize
  readonly faults = new Faults()
  readonly holds = new Holds()
  readonly duplicates: Duplicates
  readonly journal: Journal
  tally: Tally
  chance: () => number
  /** The test that its requests belong to, unless they name one themselves. */
  label: string | undefined
  /** True once its clock was turned by hand. */
  turned = false
  /** What the control API has set of limits and bans since they were reset. */
  readonly setByHand = new Set<'limits' | 'bans'>()
  /** True once a valid key came here: a refused one does not make it worth keeping. */
  admitted = false
  /** Told before it forgets what happened. */
  onForget: (world: World) => void = () => {}
  readonly #budget: Budget
  readonly #meters = new Map<string, Meter>()
  #requests = 0

  constructor(
    name: string,
    start: Start,
    stored: StoredNamespace | undefined,
    inherited: Keyring | undefined,
    { budget, stateSize }: Shared,
    real: number,
  ) {
    this.name = name
    this.start = start
    this.stateSize = stateSize
    this.collections = {
      pets: stored?.pets ?? new Pets(start.pets),
      empty: stored?.empty ?? new Pets(NO_PETS),
    }
    for (const pets of Object.values(this.collections)) pets.grew = stateSize.add
    this.keys = new Keyring(stored?.keys ?? start.keys, inherited)
    this.#budget = budget
    this.journal = new Journal(budget)
    this.duplicates = new Duplicates(budget)
    this.tally = new Tally(budget)
    this.chance = chance(start.seed, name)
    this.resetClock(real)
    this.#beginFaults(real)
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
    this.#meters.set(key, meter)
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

  /** `req_000001` and so on, as in `X-Request-Id`. */
  nextRequestId(): string {
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
    turn(this.clock)
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
    for (const [key, meter] of this.#meters) this.#meters.set(key, change(meter, builtInKey(key)?.armed))
  }

  resetFaults(real: number): void {
    this.faults.reset()
    this.holds.reset()
    this.#beginFaults(real)
    this.#changeMeters((meter) => ({ ...meter, drawn: 0 }))
    this.chance = chance(this.start.seed, this.name)
  }

  #beginFaults(real: number): void {
    for (const rule of this.start.faults ?? []) this.faults.add(rule, this.now(real))
  }

  /** Forgets what happened: journal, report and request ids. */
  resetRequests(): void {
    this.onForget(this)
    this.journal.clear()
    this.duplicates.clear()
    this.tally.release()
    this.tally = new Tally(this.#budget)
    this.#changeMeters(forgetWait)
    this.#requests = 0
    this.admitted = false
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
    this.collections = { ...this.collections, ...collections }
    for (const pets of Object.values(this.collections)) pets.grew = this.stateSize.add
    this.stateSize.recount()
  }
}
