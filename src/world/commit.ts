import { ApiError } from './api-error.ts'
import type { Pets, PetTable } from './pets/collection.ts'
import type { Change, Store, StoredKey, StoredNamespace } from './store.ts'
import type { World } from './world.ts'
import type { Worlds } from './worlds.ts'

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
export const replacePets = (
  world: World,
  others: PetTable | Pets,
  commit: Commit,
  keys?: readonly StoredKey[],
) =>
  commit(world, { op: 'replace', namespace: world.name }, () => {
    world.collections.set('pets', others)
    if (keys) world.keys.replace(keys)
  })

/** Replaces the own keys of a namespace. */
export const replaceKeys = (world: World, keys: readonly StoredKey[], commit: Commit): void =>
  commit(world, { op: 'keys', namespace: world.name, keys }, () => world.keys.replace(keys))

export type Committer = ReturnType<typeof createCommitter>

/** Applies changes at once and hands them to the store, each with a function that undoes it if it cannot be written. */
export function createCommitter(worlds: Worlds, store: Store) {
  /** Pending while changes of the keys of `default`, which every namespace inherits, are not durable. */
  let inherited: Promise<void> | undefined
  const commit: Commit = (world, change, apply) => {
    if (worlds.find(world.name) !== world)
      throw new ApiError('service_unavailable', `The namespace ${world.name} was dropped meanwhile.`)
    const isFirst = !world.isStored
    if (isFirst) storeFirst(world, change)
    const { stored: keys } = world.keys
    const before = change.op === 'replace' && !isFirst ? world.stored() : undefined
    const undo = undoOf(world, change)
    const undoApplied = apply()
    // A replacement by the same state is not stored.
    if (!before || !isSame(before, world.stored())) {
      store.append(change.op === 'replace' ? { ...change, state: world.stored() } : change, () => {
        if (typeof undoApplied === 'function') undoApplied()
        undo()
        world.past.interrupt()
        if (isFirst) world.isStored = false
      })
    }
    if (world === worlds.default && !isEqual(world.keys.stored, keys)) awaitKeys()
  }

  /** A namespace is stored from its first change on; its initial state goes into the log before that change. */
  function storeFirst(world: World, { op }: Committed): void {
    const { name: namespace } = world
    world.isStored = true
    if (op === 'replace' || op === 'drop') return
    store.append({ op: 'replace', namespace, state: world.stored() }, () => {
      world.isStored = false
    })
  }

  function awaitKeys(): void {
    const keys = store.durable(worlds.default.name)
    inherited = keys
    const end = () => {
      if (inherited === keys) inherited = undefined
    }
    keys?.then(end, end)
  }

  return {
    commit,
    /** Drops a namespace; it is restored if that cannot be stored. */
    drop: (world: World): void =>
      commit(world, { op: 'drop', namespace: world.name }, () => worlds.drop(world)),
    /**
     * Resolves once every change that a request of this namespace can depend on is durable (without a name: every change
     * of this turn of the event loop); undefined if none is waiting. Rejects with a 503.
     */
    durable(namespace?: string): Promise<void> | undefined {
      const own = store.durable(namespace)
      return own && inherited ? Promise.all([own, inherited]).then(() => {}) : (own ?? inherited)
    },
  }
}

/** A function that undoes a change which is about to be applied, in the world as it is after that change. */
function undoOf(world: World, change: Committed): () => void {
  switch (change.op) {
    case 'replace': {
      const before = world.stored()
      return () => world.restoreStored(before)
    }
    case 'create':
    case 'update':
    case 'delete': {
      const id = change.op === 'delete' ? change.id : change.pet.id
      const pets = world.collections[change.collection]
      const { nextId } = pets
      const before = change.op === 'create' ? undefined : pets.get(id)
      return () => world.collections[change.collection].undo(id, before, nextId)
    }
    case 'keys': {
      const { stored } = world.keys
      return () => world.keys.replace(stored)
    }
    case 'drop':
      return () => {}
  }
}

const isEqual = (one: readonly StoredKey[], other: readonly StoredKey[]): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)

const isSame = (one: StoredNamespace, other: StoredNamespace): boolean =>
  one.keys === other.keys && one.pets.isSameAs(other.pets) && one.empty.isSameAs(other.empty)
