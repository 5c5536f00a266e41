import type { PetsView, PetTable } from '../world/stored.ts'
import { following, type Int64, type Pet, type PetStatus } from './pet.ts'

export const NO_PETS: PetTable = { pets: [], nextId: 1 }

/**
 * The pets of one namespace: a base that it shares with others, and what was added since.
 * No look-up walks them; ids ascend, so one is found by bisection.
 */
export class Pets {
  readonly base: PetTable
  readonly #shared: ByStatus
  readonly #own = { all: [] as Pet[], ...emptyShelves() }
  readonly #lists = new Map<string, readonly Pet[]>()
  readonly #grew: (bytes: number) => void
  #nextId: Int64
  #bytes = 0

  /** `grew`: told about how many bytes each pet takes that is added. */
  constructor(base: PetTable, grew: (bytes: number) => void = () => {}) {
    this.base = base
    this.#grew = grew
    this.#shared = indexOf(base)
    this.#nextId = base.nextId
  }

  /** About how many bytes the pets take that were added to the base. */
  get ownBytes(): number {
    return this.#bytes
  }

  get size(): number {
    return this.base.pets.length + this.#own.all.length
  }

  /** True while the pets are still exactly those of the base. */
  get untouched(): boolean {
    return this.#own.all.length === 0
  }

  /** The id that the next pet gets. */
  get nextId(): Int64 {
    return this.#nextId
  }

  /** Lets the counter go on at `id`, where it is not beyond that already. */
  skipTo(id: Int64): void {
    if (id > this.#nextId) this.#nextId = id
  }

  /** Takes the next id out of the counter; it is never given again, used or not. */
  reserve(): Int64 {
    const id = this.#nextId
    this.#nextId = following(id)
    return id
  }

  /** Adds a pet under an id that was reserved here, in the order of reservation. */
  add(pet: Pet): void {
    this.#own.all.push(pet)
    if (pet.status) this.#own[pet.status].push(pet)
    this.#lists.clear()
    const bytes = sizeOfPet(pet)
    this.#bytes += bytes
    this.#grew(bytes)
  }

  get(id: Int64): Pet | undefined {
    return find(this.#own.all, id) ?? find(this.base.pets, id)
  }

  /** The first pets in the given order; the same array as before while nothing has changed. */
  list(status: PetStatus | undefined, limit: number, order: 'oldest' | 'newest'): readonly Pet[] {
    const name = `${status} ${limit} ${order}`
    const known = this.#lists.get(name)
    if (known) return known
    const [shared, own] = [this.#shared[status ?? 'all'], this.#own[status ?? 'all']]
    const list = order === 'oldest' ? firstOf(shared, own, limit) : lastOf(shared, own, limit)
    this.#lists.set(name, list)
    return list
  }

  count(status: PetStatus | undefined): number {
    return this.#shared[status ?? 'all'].length + this.#own[status ?? 'all'].length
  }

  /** Pets in ascending order of their ids, from any place: behind `after`, without the first `skip` of those. */
  range(
    status: PetStatus | undefined,
    after: Int64 | undefined,
    skip: number,
    limit: number,
  ): readonly Pet[] {
    const [shared, own] = [this.#shared[status ?? 'all'], this.#own[status ?? 'all']]
    const passed = after === undefined ? 0 : placeBehind(shared, after) + placeBehind(own, after)
    const first = passed + skip
    const inOwn = Math.max(0, first - shared.length)
    const older = shared.slice(first, first + limit)
    return older.length === limit ? older : [...older, ...own.slice(inOwn, inOwn + limit - older.length)]
  }

  /** What is stored at this instant. An id that is reserved but not yet stored is no part of it. */
  view(): PetsView {
    const own = this.#own.all
    const last = own.at(-1)
    return {
      parts: [
        { pets: this.base.pets, count: this.base.pets.length },
        { pets: own, count: own.length },
      ],
      nextId: last ? following(last.id) : this.base.nextId,
    }
  }
}

/** All pets of a view in one array. */
export const petsOf = (view: PetsView): readonly Pet[] =>
  view.parts.flatMap(({ pets, count }) => (count === pets.length ? pets : pets.slice(0, count)))

/** What a pet takes beside its name: the object, its place in two lists, and its share of the text that is stored. */
const PET_BYTES = 120

/** About how many bytes a pet takes. */
export const sizeOfPet = ({ name }: { readonly name: string }): number => PET_BYTES + 2 * name.length

/** About how many bytes the pets of a table take; those who share it share them. */
export const sizeOfTable = (table: PetTable): number => indexOf(table).bytes

type ByStatus = Record<PetStatus | 'all', readonly Pet[]> & { bytes: number }

/** By table, so that namespaces which share a table share its index. */
const indexes = new WeakMap<PetTable, ByStatus>()

function indexOf(table: PetTable): ByStatus {
  let index = indexes.get(table)
  if (!index) {
    index = { all: table.pets, ...emptyShelves(), bytes: 0 }
    indexes.set(table, index)
    for (const pet of table.pets) {
      index.bytes += sizeOfPet(pet)
      if (pet.status) (index[pet.status] as Pet[]).push(pet)
    }
  }
  return index
}

const emptyShelves = (): Record<PetStatus, Pet[]> => ({ available: [], pending: [], sold: [] })

const firstOf = (older: readonly Pet[], newer: readonly Pet[], limit: number): readonly Pet[] =>
  older.length >= limit ? older.slice(0, limit) : [...older, ...newer.slice(0, limit - older.length)]

const lastOf = (older: readonly Pet[], newer: readonly Pet[], limit: number): readonly Pet[] =>
  [...older.slice(-limit), ...newer.slice(-limit)].slice(-limit).reverse()

function find(pets: readonly Pet[], id: Int64): Pet | undefined {
  const pet = pets[place(pets, (candidate) => candidate >= id)]
  return pet?.id === id ? pet : undefined
}

const placeBehind = (pets: readonly Pet[], id: Int64): number => place(pets, (candidate) => candidate > id)

/** Where the ids begin that `reached` holds for. */
function place(pets: readonly Pet[], reached: (id: Int64) => boolean): number {
  let [low, high] = [0, pets.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (reached((pets[middle] as Pet).id)) high = middle
    else low = middle + 1
  }
  return low
}
