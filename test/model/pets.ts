import type { Decisions } from './settings.ts'

/** The pets of a collection (interface, sections 2, 4.1 and 4.2). Integers are bigint, so that no digit is lost. */
export interface Pet {
  readonly id: bigint
  readonly name: string
  readonly categoryId: bigint
  readonly status?: string
}

export const STATUSES = ['available', 'pending', 'sold']
export const MAX_INT64 = 2n ** 63n - 1n
export const MIN_INT64 = -(2n ** 63n)

export const petText = ({ id, name, categoryId, status }: Pet): string =>
  `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${status ? `,"status":"${status}"` : ''}}`

const FIXTURE: readonly [string, number, string?][] = [
  ['Rex', 1, 'available'],
  ['Bella', 1, 'pending'],
  ['Max', 1, 'sold'],
  ['Tom', 2, 'available'],
  ['Nemo', 3],
  ['Luna', 2, 'available'],
  ['Coco', 4, 'pending'],
  ['Milo', 2, 'sold'],
  ['Daisy', 1, 'available'],
  ['Hazel', 5, 'available'],
  ['Kiwi', 4, 'sold'],
  ['Bubbles', 3, 'available'],
]

export const fixturePets = (): Pet[] =>
  FIXTURE.map(([name, categoryId, status], index) => ({
    id: BigInt(index + 1),
    name,
    categoryId: BigInt(categoryId),
    ...(status && { status }),
  }))

export class Pets {
  pets: readonly Pet[]
  nextId: bigint

  constructor(pets: readonly Pet[]) {
    this.pets = pets
    this.nextId = idAfter(pets)
  }

  /** Creates a pet with the next id, which was never used before. */
  create(pet: Omit<Pet, 'id'>): Pet {
    const { name, categoryId, status } = pet
    const created = { id: this.nextId, name, categoryId, ...(status && { status }) }
    this.pets = [...this.pets, created]
    this.nextId++
    return created
  }

  find(id: bigint): Pet | undefined {
    return this.pets.find((pet) => pet.id === id)
  }

  /** Applies the filter first, then the limit. */
  list(limit: number, status: string | undefined, order: Decisions['list.order']): readonly Pet[] {
    const matching = this.pets.filter((pet) => status === undefined || pet.status === status)
    return (order === 'newest' ? matching.toReversed() : matching).slice(0, limit)
  }

  /** Replaces the pet with the same id. */
  put(pet: Pet): void {
    this.pets = this.pets.map((each) => (each.id === pet.id ? pet : each))
  }

  delete(id: bigint): void {
    this.pets = this.pets.filter((pet) => pet.id !== id)
  }

  replace(pets: readonly Pet[], nextId = idAfter(pets)): void {
    this.pets = pets
    this.nextId = nextId
  }
}

const idAfter = (pets: readonly Pet[]): bigint =>
  pets.reduce((highest, { id }) => (id > highest ? id : highest), 0n) + 1n
