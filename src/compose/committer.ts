import { ApiError } from '../world/api-error.ts'
import type { Commit } from '../world/commit.ts'
import type { Store } from '../world/store.ts'
import type { Change, StoredNamespace } from '../world/stored.ts'
import type { World } from '../world/world.ts'
import type { Worlds } from '../world/worlds.ts'

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
    const isFirst = !this.#worlds.isStored(world)
    // A namespace is stored from its first change on; its initial state goes into the log before that change.
    if (isFirst && change.op !== 'replace' && change.op !== 'drop')
      this.#append(world, { op: 'replace', namespace: world.name, state: world.stored() })
    if (isFirst) this.#worlds.markStored(world)
    const [batch, takeBack] =
      change.op === 'replace' ? this.#replace(world, apply, isFirst) : [this.#append(world, change), apply()]
    if (!batch) return
    const hasKeys = change.op === 'keys' || change.op === 'replace'
    if (hasKeys && world === this.#worlds.default) batch.changesInherited = true
    if (isFirst) batch.undo.push(() => this.#worlds.markStored(world, false))
    if (typeof takeBack === 'function') batch.undo.push(takeBack as () => void)
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

  /** What replaces everything is known once it is applied. Nothing is stored where it is what it was. */
  #replace(world: World, apply: () => unknown, isFirst: boolean): [Batch | undefined, unknown] {
    const before = world.stored()
    const takeBack = apply()
    const state = world.stored()
    if (!isFirst && isSame(before, state)) return [undefined, takeBack]
    return [this.#append(world, { op: 'replace', namespace: world.name, state }, before), takeBack]
  }

  #append(world: World, change: Change, before?: StoredNamespace): Batch | undefined {
    const durable = this.#store.append(change)
    if (!durable) return undefined
    if (this.#batch?.durable !== durable) this.#batch = this.#begin(durable)
    this.#batch.names.add(world.name)
    if (!this.#batch.before.has(world)) this.#batch.before.set(world, before ?? world.stored())
    return this.#batch
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

const isSame = (one: StoredNamespace, other: StoredNamespace): boolean =>
  one.keys === other.keys &&
  one.pets.isSameAs(other.pets) &&
  (one.empty && other.empty ? one.empty.isSameAs(other.empty) : one.empty === other.empty)
