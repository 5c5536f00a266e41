import type { PetTable } from '../pets/collection.ts'
import type { Change, CollectionName, StoredKey } from './stored.ts'
import type { World } from './world.ts'

/**
 * Applies a change at once and hands it to the store. Every reply that may have seen it is held until it is durable;
 * where it cannot be written, the stored state of its world goes back to what is durable. Throws a 503 ApiError,
 * with nothing applied, where the world is gone. `apply` may return how to take back what no store holds.
 */
export type Commit = (world: World, change: Change, apply: () => unknown) => void

/** Puts other pets (and, where given, other keys) in the place of a namespace's. */
export function replacePets(
  world: World,
  collection: CollectionName,
  table: PetTable,
  commit: Commit,
  keys?: readonly StoredKey[],
): void {
  const change = { op: 'replace', namespace: world.name, collection, table, ...(keys && { keys }) } as const
  commit(world, change, () => {
    world.setPets(collection, table)
    if (keys) world.keys.replace(keys)
  })
}

/** Gives a namespace other keys of its own. */
export const replaceKeys = (world: World, keys: readonly StoredKey[], commit: Commit): void =>
  commit(world, { op: 'keys', namespace: world.name, keys }, () => world.keys.replace(keys))
