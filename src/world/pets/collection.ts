import { atOnce } from '../../time/slices.ts'
import { following, type Int64, type NewPet, type Pet } from './pet.ts'
import { type OnChange, sizeOfMembers } from './state-size.ts'
import { type CopiedNodes, nothingCopied, PetTree } from './tree.ts'

/** An immutable list of pets by ascending id, shared by namespaces and snapshots. */
export interface PetTable {
  readonly pets: readonly Pet[]
  readonly nextId: Int64
}

export const NO_PETS: PetTable = { pets: [], nextId: 1 }

/** The limit of lists that are kept for a collection: a client can ask for hundreds of different ones. */
const MAX_LISTS = 8

interface List {
  readonly status: string | undefined
  readonly limit: number
  readonly order: 'oldest' | 'newest'
  readonly pets: readonly Pet[]
}

/**
 * The pets of one namespace, by id and by status. A copy takes constant time, whatever it holds, and shares
 * everything until one side changes.
 */
export class Pets {
  /** Its initial pets; collections that share a table share its memory. */
  readonly table: PetTable
  /** Called after each change. */
  onChange: OnChange = () => {}
  #index: Index
  #nextId: Int64
  #bytes = 0
  readonly #copied = nothingCopied()
  /** Lists that were requested since the last change. The array is replaced, never cleared, because copies share it. */
  #lists: List[] = []

  constructor(table: PetTable, index: Index = indexOf(table)) {
    this.table = table
    this.#index = copyIndex(index, this.#copied)
    this.#nextId = table.nextId
  }

  /** A collection with the same pets. Later changes of either do not affect the other. */
  copy(): Pets {
    const copy = new Pets(this.table, this.#index)
    copy.#nextId = this.#nextId
    copy.#bytes = this.#bytes
    copy.#lists = this.#lists
    return copy
  }

  /** Whether the other one is a copy and neither has changed since. Takes constant time. */
  isSameAs(other: Pets): boolean {
    return this.#nextId === other.#nextId && this.#index.all.isSameAs(other.#index.all)
  }

  /** About how many bytes it does not share with its table: other pets, and the nodes that were copied for them. */
  get ownBytes(): number {
    return this.#bytes
  }

  /** About how many bytes the pets take that are neither in its table nor in another collection with the same table. */
  bytesBeside(other: Pets | undefined): number {
    const base = other?.table === this.table ? other.#index : indexOf(this.table)
    return this.#index.all.bytesBeside(base.all, sizeOfPet)
  }

  get size(): number {
    return this.#index.all.size
  }

  /** The id that the next pet gets. */
  get nextId(): Int64 {
    return this.#nextId
  }

  /** Whether its pets are exactly those of its table. */
  get isUnchanged(): boolean {
    return this.#nextId === this.table.nextId && this.#index.all.isSameAs(indexOf(this.table).all)
  }

  /** Whether it never had a pet. */
  get isNew(): boolean {
    return this.size === 0 && this.#nextId === NO_PETS.nextId
  }

  /** Adds a pet, or replaces the one with its id. `nextId` becomes greater than its id. */
  put(pet: Pet): void {
    const before = this.#index.all.set(pet)
    if (before?.status !== undefined && before.status !== pet.status)
      this.#statusTree(before.status).delete(pet.id)
    if (pet.status !== undefined) this.#statusTree(pet.status).set(pet)
    if (pet.id >= this.#nextId) this.#nextId = following(pet.id)
    const bytesBefore = before ? this.bytesOf(before) : 0
    this.#changed(this.bytesOf(pet) - bytesBefore, bytesBefore)
  }

  /** Restores the pet and the counter from before a change. */
  undo(id: Int64, before: Pet | undefined, nextId: Int64): void {
    if (before) this.put(before)
    else this.delete(id)
    this.#nextId = nextId
  }

  /** Returns false if there is no such pet. The id is not used again. */
  delete(id: Int64): boolean {
    const pet = this.#index.all.delete(id)
    if (!pet) return false
    if (pet.status !== undefined) this.#statusTree(pet.status).delete(id)
    const bytes = this.bytesOf(pet)
    this.#changed(-bytes, bytes)
    return true
  }

  /** About how many bytes a pet takes here: none if it is in its table, which stays whatever is changed here. */
  bytesOf(pet: Pet): number {
    const { table } = this
    const isInTable = pet.id < table.nextId && indexOf(table).all.get(pet.id) === pet
    return isInTable ? 0 : sizeOfPet(pet)
  }

  get(id: Int64): Pet | undefined {
    return this.#index.all.get(id)
  }

  /** The first pets in the given order; the same array until something changes. */
  list(status: string | undefined, limit: number, order: 'oldest' | 'newest'): readonly Pet[] {
    for (const each of this.#lists)
      if (each.status === status && each.limit === limit && each.order === order) return each.pets
    const tree = this.#treeOf(status)
    const pets =
      order === 'oldest' ? tree.slice(0, limit) : tree.slice(Math.max(0, tree.size - limit), limit).reverse()
    this.#lists = [{ status, limit, order, pets }, ...this.#lists.slice(0, MAX_LISTS - 1)]
    return pets
  }

  count(status: string | undefined): number {
    return this.#treeOf(status).size
  }

  /** Pets by ascending id: those after `after`, without the first `skip`. */
  range(status: string | undefined, after: Int64 | undefined, skip: number, limit: number): Pet[] {
    const tree = this.#treeOf(status)
    return tree.slice((after === undefined ? 0 : tree.rank(after)) + skip, limit)
  }

  /** By ascending id. The collection must not change meanwhile: iterate over a copy. */
  values(): IterableIterator<Pet> {
    return this.#index.all.values()
  }

  #treeOf(status: string | undefined): PetTree {
    return status === undefined ? this.#index.all : (this.#index.byStatus.get(status) ?? NONE)
  }

  #statusTree(status: string): PetTree {
    const known = this.#index.byStatus.get(status)
    if (known) return known
    const tree = new PetTree([], this.#copied)
    this.#index.byStatus.set(status, tree)
    return tree
  }

  #changed(added: number, replaced: number): void {
    if (this.#lists.length > 0) this.#lists = []
    const { ofInitial, ofOthers } = this.#copied
    this.#copied.ofInitial = 0
    this.#copied.ofOthers = 0
    this.#bytes += added + ofInitial
    this.onChange(added + ofInitial, replaced + ofOthers)
  }
}

const NONE = new PetTree()

/** The bytes of a pet in addition to its texts: the object, its place in two lists, and its share of the stored text. */
const PET_BYTES = 120

/** About how many bytes a pet takes. */
export const sizeOfPet = (pet: NewPet): number => PET_BYTES + sizeOfMembers(pet, 'status')

/** About how many bytes the pets of a table take. */
export const sizeOfTable = (table: PetTable): number => indexOf(table).bytes

interface Index {
  readonly all: PetTree
  readonly byStatus: Map<string, PetTree>
}

interface TableIndex extends Index {
  readonly bytes: number
}

/** By table: namespaces that share a table share its index. */
const indexes = new WeakMap<PetTable, TableIndex>()

const indexOf = (table: PetTable): TableIndex => atOnce(indexSteps(table))

/** Pets per step. */
const STEP = 10_000

/** Indexes a table in steps. A table that was not indexed before its first use is indexed at once then. */
export function* indexSteps(table: PetTable): Generator<undefined, TableIndex> {
  const known = indexes.get(table)
  if (known) return known
  const byStatus = new Map<string, Pet[]>()
  let bytes = 0
  let visited = 0
  for (const pet of table.pets) {
    if (++visited % STEP === 0) yield
    bytes += sizeOfPet(pet)
    if (pet.status === undefined) continue
    const same = byStatus.get(pet.status)
    if (same) same.push(pet)
    else byStatus.set(pet.status, [pet])
  }
  const trees = new Map<string, PetTree>()
  for (const [status, pets] of byStatus) {
    yield
    trees.set(status, new PetTree(pets))
  }
  yield
  const index = { all: new PetTree(table.pets), byStatus: trees, bytes }
  indexes.set(table, index)
  return index
}

const copyIndex = ({ all, byStatus }: Index, copied: CopiedNodes): Index => ({
  all: all.copy(copied),
  byStatus: new Map(Array.from(byStatus, ([status, tree]) => [status, tree.copy(copied)])),
})
