import { ApiError } from '../world/api-error.ts'
import type { Commit } from '../world/commit.ts'
import { indexSteps, type PetTable } from '../world/pets/collection.ts'
import type { Store } from '../world/store.ts'
import type { Change, StoredNamespace } from '../world/stored.ts'
import type { World } from '../world/world.ts'
import type { Worlds } from '../world/worlds.ts'
import { slices } from './slices.ts'

/** Changes that are written together: at the end of this turn of the event loop. */
interface Batch {
  readonly durable: Promise<void>
  /** The state of each changed world before the batch, restored where the batch cannot be written. */
  readonly before: Map<World, StoredNamespace>
  /** The names of these worlds: one that was dropped may have been created again. */
  readonly names: Set<string>
  /** Whether keys of `default` change, which every namespace inherits. */
  changesInherited: boolean
  readonly undo: (() => void)[]
}

/** Applies changes at once, hands them to the store, and undoes them where they cannot be written. */
export class Committer {
  readonly #worlds: Worlds
  readonly #store: Store
  #batch: Batch | undefined

  constructor(worlds: Worlds, store: Store) {
    this.#worlds = worlds
    this.#store = store
  }

  readonly commit: Commit = (world, change, apply) => {
    if (this.#worlds.find(world.name) !== world) {
      throw new ApiError('service_unavailable', `The namespace ${world.name} was dropped meanwhile.`)
    }
    // A namespace is stored from its first change on; its initial state goes into the log before that change.
    if (!this.#worlds.isStored(world)) this.#storeBase(world)
    this.#append(world, change)
    const hasKeys = 'keys' in change && change.keys !== undefined
    if (this.#batch && hasKeys && world === this.#worlds.default) this.#batch.changesInherited = true
    const takeBack = apply()
    if (typeof takeBack === 'function') this.#batch?.undo.push(takeBack as () => void)
  }

  /** Drops a namespace; it is restored where that cannot be stored. */
  readonly drop = (world: World): void =>
    this.commit(world, { op: 'drop', namespace: world.name }, () => this.#worlds.drop(world.name))

  /**
   * Resolves once every change (that a request of this world can have seen) is durable; undefined where none is
   * waiting. Rejects with a 503.
   */
  readonly durable = (world?: World): Promise<void> | undefined => {
    const batch = this.#batch
    if (!batch) return undefined
    const isSeen = world === undefined || batch.changesInherited || batch.names.has(world.name)
    return isSeen ? batch.durable : undefined
  }

  /** Makes a world (undefined: one that is still to be made) ready for its first change; undefined where it is. */
  readonly ready = (world: World | undefined): Promise<void> | undefined => {
    if (world && this.#worlds.isStored(world)) return undefined
    return this.#store.prepare(world ? world.collections.pets.table : this.#worlds.default.start.pets)
  }

  /** Makes a world ready for a change that puts a table in the place of its pets. */
  readonly prepare = async (world: World, table: PetTable): Promise<void> => {
    await slices.run(indexSteps(table))
    await this.ready(world)
    await this.#store.prepare(table)
  }

  #storeBase(world: World): void {
    const { table } = world.collections.pets
    const { stored: keys } = world.keys
    this.#append(world, { op: 'replace', namespace: world.name, collection: 'pets', table, keys })
    this.#worlds.markStored(world)
    this.#batch?.undo.push(() => this.#worlds.markStored(world, false))
  }

  #append(world: World, change: Change): void {
    const durable = this.#store.append(change)
    if (!durable) return
    if (this.#batch?.durable !== durable) this.#batch = this.#begin(durable)
    this.#batch.names.add(world.name)
    if (!this.#batch.before.has(world)) this.#batch.before.set(world, world.stored())
  }

  #begin(durable: Promise<void>): Batch {
    const batch: Batch = { durable, before: new Map(), names: new Set(), changesInherited: false, undo: [] }
    const end = () => {
      if (this.#batch === batch) this.#batch = undefined
    }
    durable.then(end, () => {
      for (const undo of batch.undo.reverse()) undo()
      for (const [world, before] of batch.before) world.restoreStored(before)
      end()
    })
    return batch
  }
}
