import { inThousands } from '../text/in-thousands.ts'
import { ApiError } from './api-error.ts'
import { Budget } from './budget.ts'
import { Keyring, sizeOfKeys } from './keys/key.ts'
import type { Start } from './parts.ts'
import { type Pets, sizeOfTable } from './pets/collection.ts'
import { DEFAULT_MAX_STATE, StateSize } from './pets/state-size.ts'
import type { SnapshotContent, Snapshots, StoredNamespace } from './store.ts'
import type { Exchange } from './traffic/exchange.ts'
import { World } from './world.ts'

export const MAX_NAMESPACES = 1000

/** The limit for the meters of all namespaces: each takes about 300 bytes. */
const MAX_METERS = 200_000

export const DEFAULT_NAMESPACE = 'default'

/** The limit for the delayed requests of all namespaces, in bytes. */
const MAX_DELAYED = 64 * 1024 * 1024

/** The header field, flat, of the answer to a read of a namespace that does not exist. */
export const NEW_NAMESPACE = ['X-Sandbox-Namespace', 'new']

/** All namespaces. The first use of a name creates one. It is stored from its first change on. */
export class Worlds {
  readonly default: World
  readonly #start: Start
  readonly #givenKeys: Keyring | undefined
  readonly #worlds = new Map<string, World>()
  /** The memory limit of all data about requests. */
  readonly budget = new Budget()
  /** About how many bytes the requests take whose answers are delayed. They stay when their clients disconnect. */
  delayedBytes = 0
  readonly #stateSize: StateSize
  /** Called with a world before its requests are dropped, or only those of a branch. */
  onForget: (world: World, branch?: readonly Exchange[]) => void = () => {}
  /** Called with a namespace that was dropped to make room for another one. */
  onRoomMade: (name: string) => void = () => {}
  /** Called before a namespace is created; may throw to refuse it. */
  onNew: (name: string) => void = () => {}
  /** The snapshots of a namespace that count as state. */
  savedIn: Snapshots['inMemory']
  /** The bytes that the pets of each snapshot in memory add to those of the snapshot before it. */
  readonly #added = new WeakMap<Pets, { readonly before: Pets | undefined; readonly bytes: number }>()
  /** The lists of pets and keys that are used more than once. */
  #shared = new Set<object>()
  /** Worlds that may have a rule which breaks connections. */
  readonly #breaking = new Set<World>()
  /** The instant of the last use of each namespace, in real time; the one that was used the longest ago is first. */
  readonly #used = new Map<World, number>()

  /** `maxState`: the limit of the state in bytes. */
  constructor(
    start: Start,
    found: ReadonlyMap<string, StoredNamespace>,
    real: number,
    maxState: number = DEFAULT_MAX_STATE,
  ) {
    this.#stateSize = new StateSize(maxState, {
      count: (withUndone) => this.#countState(this.savedIn, withUndone),
      isShared: (list) => this.#shared.has(list),
      makeRoom: () => {
        for (const { past } of this.#worlds.values()) past.dropBranches()
      },
    })
    this.#start = start
    this.#givenKeys = start.givenKeys && new Keyring(start.givenKeys, undefined, this.budget)
    this.default = this.#make(DEFAULT_NAMESPACE, found.get(DEFAULT_NAMESPACE), real)
    for (const [name, stored] of found) if (name !== DEFAULT_NAMESPACE) this.#make(name, stored, real)
    this.#stateSize.recount()
  }

  /** The namespace of that name if there is one. */
  find(name: string): World | undefined {
    return this.#worlds.get(name)
  }

  /** The namespace of that name; created from the start fixture if there is none. `real`: real time in milliseconds. */
  get(name: string, real: number): World {
    if (name === DEFAULT_NAMESPACE) return this.default
    const known = this.#worlds.get(name)
    if (known) return this.#use(known, real)
    if (this.#makeRoom(true)) return this.#make(name, undefined, real)
    throw new ApiError(
      'service_unavailable',
      `There are ${inThousands(MAX_NAMESPACES)} namespaces, which is the limit. Drop one with petstore-sandbox namespaces drop <name> or DELETE /_sandbox/namespaces/{name}.`,
    )
  }

  /**
   * The world for a request without a valid key: the namespace that its key names, or `default` if creating that one
   * would drop a namespace in use. Does not count as a use of the namespace.
   */
  forRefused(name: string, real: number): World {
    return this.find(name) ?? (this.#makeRoom(false) ? this.#make(name, undefined, real) : this.default)
  }

  /** The namespace of that name, or its initial state, without creating it. */
  peek(name: string, real: number): World {
    return this.find(name) ?? this.#begin(name, undefined, real)
  }

  /** The keys of a namespace, also of one that does not exist yet. */
  keysOf(name: string): Keyring {
    return this.find(name)?.keys ?? new Keyring(this.#start.keys, this.default.keys)
  }

  /** The time in a namespace, also in one that does not exist yet. */
  nowOf(name: string, real: number): number {
    return this.find(name)?.now(real) ?? this.#start.now ?? real
  }

  /** Whether any namespace has a rule that breaks connections: all namespaces share the connections. */
  get breaksConnections(): boolean {
    for (const world of this.#breaking) {
      if (world.faults.breaksConnections && this.find(world.name) === world) return true
      this.#breaking.delete(world)
    }
    return false
  }

  all(): World[] {
    return [...this.#worlds.values()]
  }

  /** The names of namespaces that were not used since an instant of real time and answer no request, except `default`. */
  idleSince(at: number): string[] {
    const idle = [...this.#used].filter(([{ past }, used]) => used <= at && !past.isBusy)
    return idle.map(([{ name }]) => name).filter((name) => name !== DEFAULT_NAMESPACE)
  }

  /**
   * The refusal of every request while the delayed ones take all their memory; undefined if there is room. It is not
   * part of the history, which never depends on other namespaces.
   */
  get noRoomForDelayed(): ApiError | undefined {
    if (this.delayedBytes < MAX_DELAYED) return undefined
    return new ApiError(
      'service_unavailable',
      'The delayed requests of all namespaces take 64 MiB of memory, which is the limit. Wait until some are answered, or start the sandbox again with shorter delays.',
    )
  }

  /** Throws a 503 ApiError if there is no room for a snapshot, which may replace one of its name. */
  checkSnapshot({ name: namespace, stateSize }: World, name: string, content: SnapshotContent): void {
    const { savedIn } = this
    if (!savedIn) return
    const saved = new Map(savedIn(namespace)).set(name, content)
    const after = this.#countState((each) => (each === namespace ? saved : savedIn(each)), true)
    stateSize.recount()
    const added = after - stateSize.bytes
    stateSize.check(() => added)
  }

  /** Drops a namespace. Returns a function that restores it, without its journal, as the last one used. */
  drop(world: World): () => void {
    world.forget()
    const used = this.#used.get(world) ?? 0
    this.#worlds.delete(world.name)
    this.#used.delete(world)
    this.#breaking.delete(world)
    this.#stateSize.recount()
    return () => {
      // A request may have created another one meanwhile.
      const other = this.find(world.name)
      if (other) this.drop(other)
      other?.cancel('dropped')
      this.#worlds.set(world.name, this.#use(world, used))
      if (world.faults.breaksConnections) this.#breaking.add(world)
      this.#stateSize.recount()
    }
  }

  /** Drops a namespace that a refused call created, unless other requests have used it since; never `default`. */
  dropUnchanged(name: string): void {
    const world = this.find(name)
    if (world && world !== this.default && !world.isStored && !world.hasChanged) this.drop(world)
  }

  /** The content of a data file: every namespace that has changed. */
  stored(): Map<string, StoredNamespace> {
    const stored = this.all().filter(({ isStored }) => isStored)
    return new Map(stored.map((world) => [world.name, world.stored()]))
  }

  #make(name: string, stored: StoredNamespace | undefined, real: number): World {
    this.onNew(name)
    const world = this.#begin(name, stored, real)
    world.onForget = (branch) => this.onForget(world, branch)
    world.meters.isFull = () => this.all().reduce((sum, { meters }) => sum + meters.size, 0) >= MAX_METERS
    world.faults.onWireRule = () => this.#breaking.add(world)
    world.isStored = stored !== undefined
    this.#worlds.set(world.name, world)
    this.#stateSize.add(world.faults.bytes)
    return this.#use(world, real)
  }

  #use(world: World, real: number): World {
    this.#used.delete(world)
    this.#used.set(world, real)
    return world
  }

  #begin(name: string, stored: StoredNamespace | undefined, real: number): World {
    const inherited = name === DEFAULT_NAMESPACE ? this.#givenKeys : this.default.keys
    const shared = { start: this.#start, budget: this.budget, stateSize: this.#stateSize }
    return new World({ name, stored, inherited, ...shared }, real)
  }

  /** A list of pets or keys counts once, however often it is used. */
  #countState(savedIn: Worlds['savedIn'], withUndone: boolean): number {
    const lists = new Map<object, number>()
    this.#shared = new Set()
    let bytes = 0
    const hold = <List extends object>(list: List, sizeOf: (list: List) => number): void => {
      if (lists.has(list)) this.#shared.add(list)
      else lists.set(list, sizeOf(list))
    }
    const count = ({ table }: Pets, own: number): void => {
      hold(table, sizeOfTable)
      bytes += own
    }
    for (const { name, collections, keys, faults, past } of this.#worlds.values()) {
      bytes += faults.bytes
      hold(keys.stored, sizeOfKeys)
      for (const pets of [collections.pets, collections.empty]) count(pets, pets.ownBytes)
      const states = withUndone ? past.undoneStates : []
      const undone = states.map((state) => ({ pets: state.collections.pets, keys: state.keys }))
      let before: Pets | undefined
      for (const copy of [...(savedIn?.(name).values() ?? []), ...undone]) {
        count(copy.pets, this.#addedBy(copy.pets, before))
        hold(copy.keys, sizeOfKeys)
        before = copy.pets
      }
    }
    for (const size of lists.values()) bytes += size
    return bytes
  }

  #addedBy(pets: Pets, before: Pets | undefined): number {
    const known = this.#added.get(pets)
    if (known && known.before === before) return known.bytes
    const bytes = pets.bytesBeside(before)
    this.#added.set(pets, { before, bytes })
    return bytes
  }

  /**
   * Drops an untouched namespace if there is no room for another one: of those without requests, or else of all
   * (`orUsed`), the one that was used the longest ago. False if there is none.
   */
  #makeRoom(orUsed: boolean): boolean {
    if (this.#worlds.size < MAX_NAMESPACES) return true
    const untouched = [...this.#used.keys()].filter(
      ({ name, isStored, isTouched, hasSnapshots }) =>
        !isStored && name !== DEFAULT_NAMESPACE && !isTouched && !hasSnapshots,
    )
    const oldest = untouched.find(({ admitted }) => !admitted) ?? (orUsed ? untouched[0] : undefined)
    if (!oldest) return false
    this.drop(oldest)
    this.onRoomMade(oldest.name)
    return true
  }
}
