import { petText } from '../../../src/contract/openapi/pet-shape.ts'
import { Pets, type PetTable } from '../../../src/world/pets/collection.ts'
import { following, type Int64, type Pet } from '../../../src/world/pets/pet.ts'
import type { Change, CollectionName, StoredKey, StoredNamespace } from '../../../src/world/store.ts'

/** The stored state of a namespace, as plain data. */
export interface PlainNamespace {
  readonly pets: PetTable
  readonly empty?: PetTable
  readonly keys: readonly StoredKey[]
}

export type Plain = ReadonlyMap<string, PlainNamespace>

interface ModelNamespace {
  pets: Collection
  empty?: Collection
  keys: readonly StoredKey[]
}

interface Collection {
  readonly pets: Map<Int64, Pet>
  nextId: Int64
}

/** The state that a store has loaded, as plain data. */
export const plain = (found: ReadonlyMap<string, StoredNamespace>): Plain =>
  mapped(found, ({ pets, empty, keys }) => ({
    pets: { pets: [...pets.values()], nextId: pets.nextId },
    ...(!empty.isNew && { empty: { pets: [...empty.values()], nextId: empty.nextId } }),
    keys,
  }))

/** A simple model of the stored namespaces, with which the loaded state is compared. */
export class Model {
  #namespaces: Map<string, ModelNamespace>

  constructor(found: Plain = new Map()) {
    this.#namespaces = modelOf(found)
  }

  apply(change: Change): void {
    if (change.op === 'drop') {
      this.#namespaces.delete(change.namespace)
      return
    }
    if (change.op === 'replace') {
      const state = modelOf(plain(new Map([[change.namespace, change.state]])))
      for (const [name, replaced] of state) this.#namespaces.set(name, replaced)
      return
    }
    const namespace = this.#namespaces.get(change.namespace) ?? { pets: collectionOf(NO_PETS), keys: [] }
    this.#namespaces.set(change.namespace, namespace)
    if (change.op === 'keys') {
      namespace.keys = change.keys
      return
    }
    namespace[change.collection] ??= collectionOf(NO_PETS)
    const collection = namespace[change.collection] as Collection
    if (change.op === 'delete') collection.pets.delete(change.id)
    else collection.pets.set(change.pet.id, change.pet)
    if (change.op === 'create') collection.nextId = following(change.pet.id)
  }

  /** The state of the store, as the function that the store calls. */
  readonly view = (): Map<string, StoredNamespace> =>
    mapped(this.stored(), ({ pets, empty, keys }) => ({
      pets: new Pets(pets),
      empty: new Pets(empty ?? NO_PETS),
      keys,
    }))

  /** The state that the next start must find. */
  stored(): Map<string, PlainNamespace> {
    return mapped(this.#namespaces, plainOf)
  }

  storedOf(name: string): PlainNamespace | undefined {
    const known = this.#namespaces.get(name)
    return known && plainOf(known)
  }

  /** Restores a namespace to a result of `storedOf`. */
  restore(name: string, stored: PlainNamespace | undefined): void {
    if (!stored) this.#namespaces.delete(name)
    else for (const [, known] of modelOf(new Map([[name, stored]]))) this.#namespaces.set(name, known)
  }

  nextId(namespace: string, collection: CollectionName): Int64 {
    return this.#namespaces.get(namespace)?.[collection]?.nextId ?? 1
  }

  ids(namespace: string, collection: CollectionName): Int64[] {
    return [...(this.#namespaces.get(namespace)?.[collection]?.pets.keys() ?? [])]
  }
}

export const pet = (id: Int64, name = `Pet ${id}`): Pet => ({ id, name, categoryId: 1 })

type Place = { readonly namespace?: string; readonly collection?: CollectionName }

const petChange = (op: 'create' | 'update', changed: Pet, { namespace, collection }: Place): Change => ({
  op,
  namespace: namespace ?? 'default',
  collection: collection ?? 'pets',
  pet: changed,
  json: petText(changed),
})

export const create = (id: Int64, place: Place = {}): Change => petChange('create', pet(id), place)

export const update = (id: Int64, name: string, place: Place = {}): Change =>
  petChange('update', { ...pet(id, name), status: 'sold' }, place)

export const remove = (id: Int64, { namespace = 'default', collection = 'pets' }: Place = {}): Change => ({
  op: 'delete',
  namespace,
  collection,
  id,
})

export const tableOfSize = (size: number): PetTable => ({
  pets: Array.from({ length: size }, (_, index) => pet(index + 1)),
  nextId: size + 1,
})

export const replace = (table: PetTable, namespace = 'default', keys: readonly StoredKey[] = []): Change => ({
  op: 'replace',
  namespace,
  state: { pets: new Pets(table), empty: new Pets(NO_PETS), keys },
})

const NO_PETS: PetTable = { pets: [], nextId: 1 }

const mapped = <From, To>(from: ReadonlyMap<string, From>, to: (value: From) => To): Map<string, To> =>
  new Map(Array.from(from, ([name, value]) => [name, to(value)]))

const plainOf = ({ pets, empty, keys }: ModelNamespace): PlainNamespace => ({
  pets: tableOf(pets),
  ...(empty && { empty: tableOf(empty) }),
  keys,
})

const modelOf = (stored: Plain): Map<string, ModelNamespace> =>
  mapped(stored, ({ pets, empty, keys }) => ({
    pets: collectionOf(pets),
    ...(empty && { empty: collectionOf(empty) }),
    keys,
  }))

const collectionOf = ({ pets, nextId }: PetTable): Collection => ({
  pets: new Map(pets.map((one) => [one.id, one])),
  nextId,
})

/** The pets in the order of the map, which is that of their ids, since new ids are always the highest. */
const tableOf = ({ pets, nextId }: Collection): PetTable => ({ pets: [...pets.values()], nextId })
