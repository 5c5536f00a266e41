import { following, type Int64, type Pet } from '../../src/domain/pets/pet.ts'
import type {
  Change,
  NamespaceView,
  PetsView,
  PetTable,
  Shelf,
  StoredKey,
  StoredNamespace,
} from '../../src/domain/world/stored.ts'
import { petText } from '../../src/store/text.ts'

interface ModelNamespace {
  pets: Growing
  empty?: Growing
  keys: readonly StoredKey[]
}

interface Growing {
  readonly base: PetTable
  readonly own: Pet[]
}

/** The worlds that a store stands behind, as plain as can be: what it holds is what is expected back. */
export class Model {
  readonly namespaces = new Map<string, ModelNamespace>()

  constructor(found: ReadonlyMap<string, StoredNamespace> = new Map()) {
    for (const [name, { pets, empty, keys }] of found) {
      this.namespaces.set(name, { pets: growing(pets), ...(empty && { empty: growing(empty) }), keys })
    }
  }

  apply(change: Change): void {
    if (change.op === 'drop') {
      this.namespaces.delete(change.namespace)
      return
    }
    const namespace = this.namespaces.get(change.namespace) ?? { pets: growing(NO_PETS), keys: [] }
    this.namespaces.set(change.namespace, namespace)
    if (change.op === 'create') {
      namespace[change.shelf] ??= growing(NO_PETS)
      namespace[change.shelf]?.own.push(change.pet)
    }
    if (change.op === 'replace') namespace[change.shelf] = growing(change.table)
    if ('keys' in change && change.keys) namespace.keys = change.keys
  }

  /** As the store asks for it. */
  readonly view = (): Map<string, NamespaceView> =>
    new Map(
      Array.from(this.namespaces, ([name, { pets, empty, keys }]) => [
        name,
        { pets: viewOf(pets), ...(empty && { empty: viewOf(empty) }), keys },
      ]),
    )

  /** As it should be found at the next start. */
  stored(): Map<string, StoredNamespace> {
    return new Map(
      Array.from(this.namespaces, ([name, { pets, empty, keys }]) => [
        name,
        { pets: tableOf(pets), ...(empty && { empty: tableOf(empty) }), keys },
      ]),
    )
  }

  nextId(namespace: string, shelf: Shelf): Int64 {
    const growing = this.namespaces.get(namespace)?.[shelf]
    return growing ? nextIdOf(growing) : 1
  }
}

export const pet = (id: Int64, name = `Pet ${id}`): Pet => ({ id, name, categoryId: 1 })

export const create = (id: Int64, { namespace = 'default', shelf = 'pets' as Shelf } = {}): Change => ({
  op: 'create',
  namespace,
  shelf,
  pet: pet(id),
  json: petText(pet(id)),
})

export const tableOfSize = (size: number): PetTable => ({
  pets: Array.from({ length: size }, (_, index) => pet(index + 1)),
  nextId: size + 1,
})

export const replace = (table: PetTable, namespace = 'default', keys?: readonly StoredKey[]): Change => ({
  op: 'replace',
  namespace,
  shelf: 'pets',
  table,
  ...(keys && { keys }),
})

const NO_PETS: PetTable = { pets: [], nextId: 1 }

const growing = (base: PetTable): Growing => ({ base, own: [] })

const nextIdOf = ({ base, own }: Growing): Int64 => {
  const last = own.at(-1)
  return last ? following(last.id) : base.nextId
}

const viewOf = (growing: Growing): PetsView => ({
  parts: [
    { pets: growing.base.pets, count: growing.base.pets.length },
    { pets: growing.own, count: growing.own.length },
  ],
  nextId: nextIdOf(growing),
})

const tableOf = (growing: Growing): PetTable => ({
  pets: [...growing.base.pets, ...growing.own],
  nextId: nextIdOf(growing),
})
