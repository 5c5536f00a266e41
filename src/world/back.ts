import type { Position } from './history.ts'
import type { PetTable } from './pets/collection.ts'
import type { Int64, Pet } from './pets/pet.ts'
import type { WorldState } from './state.ts'
import type { CollectionBack, CollectionName, StoredKey } from './stored.ts'
import type { World } from './world.ts'

/** The changes that turn the stored part of a world into that of another state. */
export interface Back {
  readonly collections: Partial<Record<CollectionName, CollectionBack>>
  readonly keys?: readonly StoredKey[]
}

/** Collections whose pets were replaced since a position: they are replaced as a whole. */
export function replacedSince({ history }: World, position: Position): ReadonlySet<CollectionName> {
  const replaced = new Set<CollectionName>()
  for (const image of history.back(position.at)) {
    if (image.part !== 'collections') continue
    for (const name of Object.keys(image.before)) replaced.add(name as CollectionName)
  }
  return replaced
}

/** `state`: of the world at that position; `tables`: the pets of those collections that are replaced as a whole. */
export function backTo(
  world: World,
  position: Position,
  state: WorldState,
  tables: Partial<Record<CollectionName, PetTable>>,
): Back {
  const touched: Record<CollectionName, Set<Int64>> = { pets: new Set(), empty: new Set() }
  for (const image of world.history.back(position.at)) {
    if (image.part === 'pet' && !tables[image.collection]) touched[image.collection].add(image.id)
  }
  const collections: Partial<Record<CollectionName, CollectionBack>> = {}
  for (const name of ['pets', 'empty'] as const) {
    const table = tables[name]
    if (table) collections[name] = { table }
    else if (touched[name].size > 0) collections[name] = changesOf(touched[name], world, state, name)
  }
  return { collections, ...(state.keys !== world.keys.stored && { keys: state.keys }) }
}

function changesOf(
  ids: ReadonlySet<Int64>,
  { collections }: World,
  state: WorldState,
  name: CollectionName,
): CollectionBack {
  const [then, now] = [state.collections[name], collections[name]]
  const put: Pet[] = []
  const gone: Int64[] = []
  for (const id of ids) {
    const pet = then.get(id)
    if (pet) put.push(pet)
    else if (now.get(id)) gone.push(id)
  }
  return { put, delete: gone, nextId: then.nextId }
}

export const isNothing = ({ collections, keys }: Back): boolean =>
  Object.keys(collections).length === 0 && keys === undefined
