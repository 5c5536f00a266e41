import type { ClockState } from '../time/clock.ts'
import type { FaultsState } from './faults/fault.ts'
import { type Meter, withoutUse } from './limits/meter.ts'
import { type Pets, sizeOfPet, sizeOfTable } from './pets/collection.ts'
import type { Int64, Pet } from './pets/pet.ts'
import type { CollectionName, StoredKey } from './stored.ts'
import type { Note } from './traffic/duplicates.ts'
import type { Exchange } from './traffic/exchange.ts'
import type { Journal } from './traffic/journal.ts'
import type { Tally } from './traffic/tally.ts'

export type Collections = Readonly<Record<CollectionName, Pets>>

/** Everything about a world that a reply depends on, as it is at one instant. Later changes of the world do not affect it. */
export interface WorldState {
  collections: Collections
  keys: readonly StoredKey[]
  meters: Map<string, Meter>
  clock: ClockState
  faults: FaultsState
  /** How many holds were ever made. */
  holds: number
  /** Of the stream of chance. */
  chance: number
  /** How many request ids were given. */
  requests: number
  /** The test that requests belong to. */
  label: string | undefined
  duplicates: Map<string, Note>
  journal: Exchange[]
  tally: Tally
}

/** An exchange was recorded. */
export interface ExchangeImage {
  readonly part: 'exchange'
  readonly exchange: Exchange
}

/** A key used its limits once. What most requests change has images that are shared, as most of them are kept. */
export interface UseImage {
  readonly part: 'use'
  readonly key: string
}

/** A request got the next id. */
export interface RequestIdImage {
  readonly part: 'request id'
}

/** What was there before a change: the change is undone by putting it back. */
export type Image =
  | {
      readonly part: 'pet'
      readonly collection: CollectionName
      readonly id: Int64
      readonly before: Pet | undefined
      readonly nextId: Int64
    }
  | UseImage
  | RequestIdImage
  | { readonly part: 'meter'; readonly key: string; readonly before: Meter | undefined }
  | {
      readonly part: 'note'
      readonly mark: string
      readonly before: Note | undefined
      /** The note that was removed for it. */
      readonly gone: readonly [mark: string, note: Note] | undefined
    }
  | ExchangeImage
  | { readonly part: 'journal'; readonly before: Journal }
  | { readonly part: Immutable; readonly before: number | string | object | undefined }
  | { readonly part: 'collections'; readonly before: Partial<Collections> }
  | { readonly part: 'meters'; readonly before: ReadonlyMap<string, Meter> }
  | { readonly part: 'duplicates'; readonly before: ReadonlyMap<string, Note> }
  | { readonly part: 'tally'; readonly before: Tally }

/** Parts that are replaced as a whole, by values that never change. */
export type Immutable = 'keys' | 'clock' | 'faults' | 'holds' | 'chance' | 'requests' | 'label'

/** Puts back what was there before one change. */
export function undo(state: WorldState, image: Image): void {
  switch (image.part) {
    case 'pet':
      state.collections[image.collection].undo(image.id, image.before, image.nextId)
      break
    case 'request id':
      state.requests--
      break
    case 'use':
      putBack(state.meters, image.key, withoutUse(state.meters.get(image.key) as Meter))
      break
    case 'meter':
      putBack(state.meters, image.key, image.before)
      break
    case 'note':
      putBack(state.duplicates, image.mark, image.before)
      if (image.gone) state.duplicates.set(...image.gone)
      break
    case 'exchange':
      if (state.journal.at(-1) === image.exchange) state.journal.pop()
      state.tally.count(image.exchange, -1)
      break
    case 'journal':
      state.journal = image.before.entries()
      break
    case 'collections':
      state.collections = { ...state.collections, ...copiesOf(image.before) }
      break
    case 'meters':
      state.meters = new Map(image.before)
      break
    case 'duplicates':
      state.duplicates = new Map(image.before)
      break
    case 'tally':
      state.tally = image.before.copy()
      break
    default:
      Object.assign(state, { [image.part]: image.before })
  }
}

function putBack<T>(values: Map<string, T>, name: string, before: T | undefined): void {
  if (before === undefined) values.delete(name)
  else values.set(name, before)
}

/** Copies at this instant, whose changes are not logged. */
export const copyOf = (collections: Collections): Collections => ({
  ...collections,
  ...copiesOf(collections),
})

const copiesOf = (collections: Partial<Collections>): Partial<Collections> =>
  Object.fromEntries(Object.entries(collections).map(([name, pets]) => [name, pets.copy()]))

/** Whether what it holds is counted in the budget by itself. */
export const isCounted = ({ part }: Image): boolean => part === 'journal' || part === 'tally'

/** The approximate number of bytes that only this image keeps in memory. */
export function bytesOf(image: Image): number {
  switch (image.part) {
    case 'pet':
      return image.before ? sizeOfPet(image.before) : 0
    case 'meters':
      return METER_BYTES * image.before.size
    case 'faults':
      return FAULT_BYTES * (image.before as FaultsState).rules.length
    case 'keys':
      return KEY_BYTES * (image.before as readonly StoredKey[]).length
    default:
      return 0
  }
}

const METER_BYTES = 400
const FAULT_BYTES = 16
const KEY_BYTES = 100

/** About how many bytes pets that were replaced take. */
export const bytesOfReplaced = (pets: Pets, isShared: boolean): number =>
  pets.ownBytes + (isShared ? 0 : sizeOfTable(pets.table))
