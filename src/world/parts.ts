import { copyOf as copyOfText } from '../text/listed.ts'
import { chanceOf } from '../time/chance.ts'
import { Clock } from '../time/clock.ts'
import { Faults } from './faults/fault.ts'
import { Holds } from './faults/hold.ts'
import { History } from './history.ts'
import { Keyring } from './keys/key.ts'
import { Meters } from './limits/meters.ts'
import { NO_PETS, Pets, type PetTable } from './pets/collection.ts'
import type { StateSize } from './pets/state-size.ts'
import type { Start } from './start.ts'
import {
  bytesOfReplaced,
  type Collections,
  copyOf,
  type Image,
  type UseImage,
  type WorldState,
} from './state.ts'
import type { CollectionName, StoredNamespace } from './stored.ts'
import type { Budget } from './traffic/budget.ts'
import { Duplicates } from './traffic/duplicates.ts'
import { Journal } from './traffic/journal.ts'
import { Tally } from './traffic/tally.ts'

/** What all worlds share beside their initial content. */
export interface Shared {
  readonly budget: Budget
  readonly stateSize: StateSize
}

/** The parts of a world. Each change of a part is logged in the history, so that it can be undone. */
export class WorldParts {
  readonly name: string
  readonly start: Start
  readonly clock = new Clock()
  collections: Collections
  readonly keys: Keyring
  /** Keys that it accepts beside its own. */
  readonly inherited: Keyring | undefined
  readonly meters = new Meters()
  /** Of all namespaces together. */
  readonly stateSize: StateSize
  readonly faults = new Faults()
  readonly holds = new Holds()
  readonly duplicates: Duplicates
  journal: Journal
  tally: Tally
  readonly history: History
  protected readonly budget: Budget
  protected chanceState: number
  /** How many request ids were given. */
  protected requestCount = 0
  /** False while a state is put in place, of which the history must not know. */
  protected isLogged = false
  #label: string | undefined
  /** The last one that was logged. */
  #use: UseImage | undefined

  constructor(
    name: string,
    start: Start,
    stored: StoredNamespace | undefined,
    inherited: Keyring | undefined,
    { budget, stateSize }: Shared,
  ) {
    this.name = copyOfText(name)
    this.start = start
    this.stateSize = stateSize
    this.collections = {
      pets: stored?.pets ?? new Pets(start.pets),
      empty: stored?.empty ?? new Pets(NO_PETS),
    }
    this.keys = new Keyring(stored?.keys ?? start.keys, inherited, budget)
    this.inherited = inherited
    this.budget = budget
    this.history = new History(budget, (image) => release(image))
    this.journal = this.newJournal()
    this.duplicates = new Duplicates(budget)
    this.tally = new Tally(budget)
    this.chanceState = chanceOf(start.seed, name)
    this.#watch()
  }

  /** Logs what was there before a change. */
  protected log(image: Image, bytes?: number): void {
    if (this.isLogged) this.history.log(image, bytes)
  }

  #watch(): void {
    this.keys.replaced = (before) => this.log({ part: 'keys', before })
    this.faults.changed = (before) => this.log({ part: 'faults', before })
    this.holds.changed = (before) => this.log({ part: 'holds', before })
    this.duplicates.changed = (mark, before, gone) => this.log({ part: 'note', mark, before, gone })
    this.meters.used = (key) => {
      if (this.#use?.key !== key) this.#use = { part: 'use', key: copyOfText(key) }
      this.log(this.#use)
    }
    this.meters.changed = (key, before) => this.log({ part: 'meter', key, before })
    this.meters.replaced = (before) => this.log({ part: 'meters', before })
    this.#watchPets()
  }

  #watchPets(): void {
    for (const collection of ['pets', 'empty'] as const) {
      const pets = this.collections[collection]
      pets.grew = this.stateSize.add
      pets.changed = (id, before, nextId) => this.log({ part: 'pet', collection, id, before, nextId })
    }
  }

  protected newJournal(): Journal {
    return new Journal(this.budget, (exchange, isFull) =>
      this.history.forgetRequest(exchange, isFull ? 'journal' : 'budget'),
    )
  }

  /** The test that its requests belong to, unless they name one themselves. */
  get label(): string | undefined {
    return this.#label
  }

  set label(label: string | undefined) {
    this.log({ part: 'label', before: this.#label })
    this.#label = label
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
    this.log({ part: 'collections', before: Object.fromEntries(replaced) }, bytes)
  }

  /** Everything that a reply depends on, as it is at this instant. It takes no longer where there are more pets. */
  capture(): WorldState {
    return {
      collections: copyOf(this.collections),
      keys: this.keys.stored,
      meters: this.meters.copy(),
      clock: this.clock.state,
      faults: this.faults.state,
      holds: this.holds.made,
      chance: this.chanceState,
      requests: this.requestCount,
      label: this.#label,
      duplicates: this.duplicates.notes(),
      journal: this.journal.entries(),
      tally: this.tally.copy(),
    }
  }

  /** Puts everything to what it was, in this world or in another one; history does not know of it. */
  restore(state: WorldState): void {
    this.isLogged = false
    this.#put(copyOf(state.collections))
    if (this.keys.stored !== state.keys) this.keys.replace(state.keys)
    this.meters.restore(state.meters)
    this.clock.state = state.clock
    this.faults.state = state.faults
    this.holds.made = state.holds
    this.chanceState = state.chance
    this.requestCount = state.requests
    this.#label = state.label
    this.duplicates.restore(state.duplicates)
    this.journal.restore(state.journal)
    this.tally.release()
    this.tally = state.tally.copy(this.budget)
    this.isLogged = true
  }
}

/** Releases what only a forgotten image kept; returns how to undo that. */
function release(image: Image): () => void {
  if (image.part === 'tally') {
    image.before.release()
    return () => image.before.retain()
  }
  const { before: journal } = image as Image & { part: 'journal' }
  const entries = journal.entries()
  journal.clear()
  return () => journal.restore(entries)
}
