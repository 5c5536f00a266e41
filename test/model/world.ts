import { START } from './clock.ts'
import { Faults } from './faults.ts'
import { copyOf, History } from './history.ts'
import { Keys } from './keys.ts'
import { Account } from './limits.ts'
import { fixturePets, type Pet, Pets } from './pets.ts'
import { Report } from './report.ts'
import { DEFAULTS, type Decisions } from './settings.ts'

/** The state of a namespace. */
export class World {
  now = START
  readonly pets = new Pets(fixturePets())
  /** The pets of psk_empty. */
  readonly empty = new Pets([])
  readonly keys: Keys
  faults = new Faults()
  report = new Report()
  requestIds = new Set<string>()
  readonly history = new History()
  /** The last charged request and its status; 0 for a lost answer. */
  counted: string | undefined
  private accounts = new Map<string, Account>()
  private readonly snapshots = new Map<string, () => void>()
  /** The number of requests of psk_flaky. */
  private flaky = 0
  private readonly decisions: Decisions

  constructor(decisions: Decisions, above?: World) {
    this.decisions = decisions
    this.keys = new Keys(above?.keys)
  }

  account(key: string): Account {
    const account = this.accounts.get(key) ?? new Account(key, this.decisions)
    this.accounts.set(key, account)
    return account
  }

  store(key: string): Pets {
    return key === 'psk_empty' ? this.empty : this.pets
  }

  /** Whether a key gets a 503: every third request of psk_flaky, every request of psk_unstable. */
  failsByKey(key: string): boolean {
    if (key === 'psk_flaky') this.flaky++
    return key === 'psk_unstable' || (key === 'psk_flaky' && this.flaky % 3 === 0)
  }

  /** Moving the clock back resets windows and bans. */
  turn(instant: number): void {
    if (instant < this.now) {
      for (const account of this.accounts.values()) account.resetAll()
      this.report.clockMovedBack()
    }
    this.now = instant
  }

  reset(parts: readonly string[]): void {
    const accounts = [...this.accounts.values()]
    for (const part of parts) {
      if (part === 'clock') this.turn(START)
      if (part === 'pets') {
        this.pets.replace(fixturePets())
        this.empty.replace([])
      }
      if (part === 'limits' || part === 'bans') this.report.forgetRetries()
      if (part === 'limits') for (const account of accounts) account.resetLimits()
      if (part === 'bans') for (const account of accounts) account.resetBans()
      if (part === 'faults') {
        this.faults.clear()
        this.flaky = 0
      }
      if (part === 'requests') {
        this.report.reset()
        this.requestIds.clear()
      }
      if (part === 'keys') this.keys.reset()
    }
  }

  /** Saves the state that a rewind restores, without snapshots. Returns a function that restores it. */
  save(): () => void {
    const { now, faults, report, requestIds, accounts, flaky } = this
    const saved = copyOf({ now, faults, report, requestIds, accounts, flaky })
    const stores = [this.pets, this.empty].map((store) => [store, store.pets, store.nextId] as const)
    const keys = this.keys.save()
    return () => {
      Object.assign(this, copyOf(saved))
      for (const [store, pets, nextId] of stores) store.replace(pets, nextId)
      keys()
    }
  }

  saveSnapshot(name: string): void {
    const [pets, nextId, keys] = [this.pets.pets, this.pets.nextId, this.keys.save()]
    this.snapshots.set(name, () => {
      this.pets.replace(pets, nextId)
      keys()
    })
  }

  /** Returns false if there is no snapshot of that name. */
  restoreSnapshot(name: string): boolean {
    const restore = this.snapshots.get(name)
    restore?.()
    return restore !== undefined
  }

  append(pets: readonly Omit<Pet, 'id'>[]): void {
    for (const pet of pets) this.pets.create(pet)
  }
}

/** Every namespace begins with the start fixture; keys are looked up in it, then in `default`. */
export class Worlds {
  readonly decisions: Decisions
  private readonly worlds = new Map<string, World>()

  /** Whether an overlay has operations that change pets. */
  readonly changesPets: boolean

  constructor(decisions: Partial<Decisions>, changesPets = false) {
    this.changesPets = changesPets
    this.decisions = { ...DEFAULTS, ...decisions }
    this.worlds.set('default', new World(this.decisions))
  }

  at(name: string): World {
    const world = this.worlds.get(name) ?? new World(this.decisions, this.worlds.get('default'))
    this.worlds.set(name, world)
    return world
  }

  drop(name: string): void {
    this.worlds.delete(name)
  }
}
