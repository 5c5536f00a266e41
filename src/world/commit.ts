import type { PetTable } from './pets/collection.ts'
import type { Change, StoredKey } from './stored.ts'
import type { World } from './world.ts'

/** A change to commit. `replace` replaces all stored state of a namespace, which is read after the change is applied. */
export type Committed =
  | Exclude<Change, { op: 'replace' }>
  | { readonly op: 'replace'; readonly namespace: string }

/**
 * Applies a change at once and hands it to the store. Every reply that may depend on the change waits until it is
 * durable. If it cannot be written, the stored state of its world is reset to what is durable. Throws a 503 ApiError,
 * with nothing applied, if the world was dropped. `apply` may return a function that undoes what is not stored.
 */
export type Commit = (world: World, change: Committed, apply: () => unknown) => void

/** Replaces the pets of a namespace and, where given, its keys. */
export const replacePets = (world: World, table: PetTable, commit: Commit, keys?: readonly StoredKey[]) =>
  commit(world, { op: 'replace', namespace: world.name }, () => {
    world.collections.set('pets', table)
    if (keys) world.keys.replace(keys)
  })

/** Replaces the own keys of a namespace. */
export const replaceKeys = (world: World, keys: readonly StoredKey[], commit: Commit): void =>
  commit(world, { op: 'keys', namespace: world.name, keys }, () => world.keys.replace(keys))
