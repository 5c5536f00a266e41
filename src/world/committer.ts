import { ApiError } from './api-error.ts'
import type { Commit, Committed } from './commit.ts'
import type { Store } from './store.ts'
import type { StoredKey, StoredNamespace } from './stored.ts'
import type { World } from './world.ts'
import type { Worlds } from './worlds.ts'

/** Applies changes at once and hands them to the store, each with a function that undoes it if it cannot be written. */
export class Committer {
  readonly #worlds: Worlds
  readonly #store: Store
  /** Pending while changes of the keys of `default`, which every namespace inherits, are not durable. */
  #inherited: Promise<void> | undefined

  constructor(worlds: Worlds, store: Store) {
    this.#worlds = worlds
    this.#store = store
  }

  readonly commit: Commit = (world, change, apply) => {
    if (this.#worlds.find(world.name) !== world)
      throw new ApiError('service_unavailable', `The namespace ${world.name} was dropped meanwhile.`)
    const isFirst = !this.#worlds.isStored(world)
    if (isFirst) this.#storeFirst(world, change)
    const { stored: keys } = world.keys
    const before = change.op === 'replace' && !isFirst ? world.stored() : undefined
    const undo = undoOf(world, change)
    const takeBack = apply()
    // A replacement by the same state is not stored.
    if (!before || !isSame(before, world.stored())) {
      this.#store.append(change.op === 'replace' ? { ...change, state: world.stored() } : change, () => {
        if (typeof takeBack === 'function') takeBack()
        undo()
        world.past.interrupt()
        if (isFirst) this.#worlds.markStored(world, false)
      })
    }
    if (world === this.#worlds.default && !isEqual(world.keys.stored, keys)) this.#awaitKeys()
  }

  /** Drops a namespace; it is restored if that cannot be stored. */
  readonly drop = (world: World): void =>
    this.commit(world, { op: 'drop', namespace: world.name }, () => this.#worlds.drop(world.name))

  /**
   * Resolves once every change that a request of this namespace can depend on is durable (without a name: every change
   * of this turn of the event loop); undefined if none is waiting. Rejects with a 503.
   */
  readonly durable = (namespace?: string): Promise<void> | undefined => {
    const own = this.#store.durable(namespace)
    return own && this.#inherited
      ? Promise.all([own, this.#inherited]).then(() => {})
      : (own ?? this.#inherited)
  }

  /** A namespace is stored from its first change on; its initial state goes into the log before that change. */
  #storeFirst(world: World, { op }: Committed): void {
    const { name: namespace } = world
    this.#worlds.markStored(world)
    if (op === 'replace' || op === 'drop') return
    const undo = () => this.#worlds.markStored(world, false)
    this.#store.append({ op: 'replace', namespace, state: world.stored() }, undo)
  }

  #awaitKeys(): void {
    const inherited = this.#store.durable(this.#worlds.default.name)
    this.#inherited = inherited
    const end = () => {
      if (this.#inherited === inherited) this.#inherited = undefined
    }
    inherited?.then(end, end)
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
