import type { FaultInput } from '../contract/generated/control.types.d.ts'
import { chanceOf } from '../time/chance.ts'
import { Clock } from '../time/clock.ts'
import type { Budget } from './budget.ts'
import { Faults } from './faults/fault.ts'
import { Holds } from './faults/hold.ts'
import { Keyring } from './keys/key.ts'
import { Meters } from './limits/meters.ts'
import { type Part, Value } from './part.ts'
import type { PetTable } from './pets/collection.ts'
import { Collections } from './pets/collections.ts'
import type { OnChange, StateSize } from './pets/state-size.ts'
import type { StoredKey, StoredNamespace } from './store.ts'
import { Duplicates } from './traffic/duplicates.ts'
import { Journal } from './traffic/journal.ts'
import { Tally } from './traffic/tally.ts'

/** The initial content of every namespace. */
export interface Start {
  readonly pets: PetTable
  readonly keys: readonly StoredKey[]
  readonly seed: number
  /** The instant at which its clock starts; undefined = real time. */
  readonly now: number | undefined
  readonly frozen: boolean
  /** Its fault rules at the start and after a reset. */
  readonly faults?: readonly FaultInput[]
  /** Keys that are valid in every namespace, whatever is stored. */
  readonly givenKeys?: readonly StoredKey[]
}

/** The initial content and the dependencies of a world. */
export interface Content {
  readonly name: string
  readonly start: Start
  /** The state that was stored for it, if any. */
  readonly stored: StoredNamespace | undefined
  /** The keys of `default`, which it accepts too; undefined for `default` itself. */
  readonly inherited: Keyring | undefined
  /** Counts the data about requests of all namespaces. */
  readonly budget: Budget
  /** Counts the pets, keys and fault rules of all namespaces. */
  readonly stateSize: StateSize
}

/** The content of a world, with the connections between its parts. */
interface Given extends Content {
  /** Called after pets, keys or fault rules were changed. */
  readonly onChange: OnChange
  /** The exchanges and control calls that have ended in it. */
  readonly ended: ConstructorParameters<typeof Journal>[0]
}

/**
 * The parts of the state of a world: every reply depends on them and on nothing else. A new part is a file and a row
 * here. It captures JSON, or src/past/world-state.ts converts it for a recording.
 */
export function partsOf({ name, start, stored, inherited, budget, onChange, ended }: Given) {
  const keys = new Keyring(stored?.keys ?? start.keys, inherited, budget)
  keys.onChange = onChange
  if (inherited && name !== 'default') keys.prefix = 'own '
  const faults = new Faults()
  faults.onChange = onChange
  return {
    collections: new Collections(start.pets, stored, onChange),
    keys,
    meters: new Meters((key) => keys.lookUp(key) !== undefined),
    clock: new Clock(),
    faults,
    /** Of the holds, only the number that were ever made is captured. */
    holds: new Holds(),
    /** The state of the stream of chance. */
    chance: new Value(chanceOf(start.seed, name)),
    /** The numbers of ids that were assigned to requests and to control calls. */
    requests: new Value(0),
    controls: new Value(0),
    /** The test that requests belong to, unless they name one themselves. */
    label: new Value<string | undefined>(undefined),
    duplicates: new Duplicates(budget),
    journal: new Journal(ended),
    tally: new Tally({ budget }),
    /** The event of the history at which the report begins. */
    reportedSince: new Value(0),
  }
}

export type Parts = ReturnType<typeof partsOf>

/** The state of a world at one instant. Later changes of the world do not affect it. */
export type WorldState = { readonly [Name in keyof Parts]: ReturnType<Parts[Name]['capture']> }

/** Takes constant time, however many pets there are. */
export const capture = (parts: Parts): WorldState =>
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, part.capture()])) as WorldState

export function restore(parts: Parts, state: WorldState): void {
  for (const [name, part] of Object.entries(parts))
    (part as Part<unknown>).restore(state[name as keyof WorldState])
}
