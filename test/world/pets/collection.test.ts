import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Pets } from '../../../src/world/pets/collection.ts'
import { following, PET_STATUSES, type Pet } from '../../../src/world/pets/pet.ts'

const pet = (id: number | bigint, status?: Pet['status']): Pet => ({
  id,
  name: `n${id}`,
  categoryId: 1,
  ...(status && { status }),
})

const status = fc.option(fc.constantFrom(...PET_STATUSES), { nil: undefined })
const id = fc.integer({ min: 1, max: 40 })

/** An operation on a collection, or on a copy of it. */
const step = fc.oneof(
  fc.record({ do: fc.constant('put' as const), id, status }),
  fc.record({ do: fc.constant('add' as const), status }),
  fc.record({ do: fc.constant('delete' as const), id }),
  fc.record({ do: fc.constant('list' as const), status, limit: fc.integer({ min: 1, max: 50 }) }),
  fc.record({ do: fc.constant('copy' as const) }),
  fc.record({ do: fc.constant('go back' as const), to: fc.nat() }),
)

/** A collection as plain data. */
interface Model {
  readonly pets: Map<number | bigint, Pet>
  nextId: number | bigint
}

const copyOf = ({ pets, nextId }: Model): Model => ({ pets: new Map(pets), nextId })

describe('a collection of pets', () => {
  it('equals a plain map after any operations, and so does each of its copies', () => {
    fc.assert(
      fc.property(fc.array(status, { maxLength: 30 }), fc.array(step, { maxLength: 60 }), (base, steps) => {
        const table = { pets: base.map((one, i) => pet(i + 1, one)), nextId: base.length + 1 }
        let pets = new Pets(table)
        let model: Model = { pets: new Map(table.pets.map((one) => [one.id, one])), nextId: table.nextId }
        const copies: [Pets, Model][] = []
        for (const one of steps) {
          if (one.do === 'copy') copies.push([pets.copy(), copyOf(model)])
          else if (one.do === 'go back') {
            const [copy, then] = copies[one.to % (copies.length || 1)] ?? [pets, model]
            ;[pets, model] = [copy.copy(), copyOf(then)]
          } else if (one.do === 'delete') {
            expect(pets.delete(one.id)).toBe(model.pets.delete(one.id))
          } else if (one.do === 'list') expectAlike(pets, model, one.status, one.limit)
          else {
            const made = pet(one.do === 'put' ? one.id : pets.nextId, one.status)
            pets.put(made)
            model.pets.set(made.id, made)
            if (made.id >= model.nextId) model.nextId = following(made.id)
          }
        }
        for (const [copy, then] of [...copies, [pets, model] as const]) {
          for (const wanted of [undefined, ...PET_STATUSES]) expectAlike(copy, then, wanted, 7)
        }
        expect([...new Pets(table).values()]).toEqual(table.pets)
      }),
    )
  })

  it('returns the same list until something changes, and then another one', () => {
    const pets = new Pets({ pets: [pet(1)], nextId: 2 })
    const list = pets.list(undefined, 20, 'oldest')
    expect(pets.list(undefined, 20, 'oldest')).toBe(list)
    expect(pets.copy().list(undefined, 20, 'oldest')).toBe(list)
    pets.put(pet(2))
    expect(pets.list(undefined, 20, 'oldest')).toHaveLength(2)
    expect(list).toHaveLength(1)
  })

  it('never uses the id of a deleted pet again, and keeps every digit of an id', () => {
    const pets = new Pets({ pets: [], nextId: Number.MAX_SAFE_INTEGER })
    pets.put(pet(pets.nextId))
    pets.put(pet(pets.nextId))
    expect(pets.delete(9007199254740992n)).toBe(true)
    expect(pets.nextId).toBe(9007199254740993n)
    expect(pets.get(9007199254740991)?.name).toBe('n9007199254740991')
  })

  it('counts the places in lists that are copied because one pet of them is changed', () => {
    const pets = Array.from({ length: 6400 }, (_, i) => ({
      id: i + 1,
      name: 'Kit',
      categoryId: 1,
      status: 'sold',
    }))
    const collection = new Pets({ pets, nextId: 6401 })
    const replaced: number[] = []
    collection.onChange = (_, bytes) => replaced.push(bytes)
    const change = (id: number) => collection.put({ ...(pets[id - 1] as Pet), name: 'Kat' })
    for (let id = 1; id < 6400; id += 64) change(id)
    // Two lists with 64 places in each leaf.
    expect(collection.ownBytes).toBeGreaterThan(100 * 2 * 64 * 8)
    const { ownBytes } = collection
    const snapshot = collection.copy()
    for (let id = 1; id < 6400; id += 64) change(id)
    expect(collection.ownBytes).toBe(ownBytes)
    expect(replaced.at(-1)).toBeGreaterThan(2 * 64 * 8)
    expect(collection.bytesBeside(snapshot)).toBeGreaterThan(100 * 64 * 8)
  })

  it('equals its table until something changes', () => {
    const table = { pets: [pet(1)], nextId: 2 }
    const pets = new Pets(table)
    pets.delete(7)
    expect(pets.copy().isUnchanged).toBe(true)
    pets.delete(1)
    expect(pets.isUnchanged).toBe(false)
  })

  it('supports ten thousand pets in any order of adding, deleting and replacing, beside an earlier copy', () => {
    const pets = new Pets({ pets: [], nextId: 1 })
    const order = Array.from({ length: 10_000 }, (_, i) => ((i * 7919) % 10_007) + 1)
    for (const one of order) pets.put(pet(one, 'sold'))
    const copy = pets.copy()
    for (const one of order.slice(0, 9_000)) expect(pets.delete(one)).toBe(true)
    const left = order.slice(9_000).sort((a, b) => a - b)
    expect([...pets.values()].map((one) => one.id)).toEqual(left)
    expect(pets.range('sold', left[10], 5, 3).map((one) => one.id)).toEqual(left.slice(16, 19))
    expect(copy.count('sold')).toBe(10_000)
    expect(copy.range(undefined, undefined, 5_000, 2).map((one) => one.id)).toEqual(
      [...order].sort((a, b) => a - b).slice(5_000, 5_002),
    )
  })
})

function expectAlike(
  pets: Pets,
  { pets: all, nextId }: Model,
  status: string | undefined,
  limit: number,
): void {
  const sorted = [...all.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  const matching = sorted.filter((one) => !status || one.status === status)
  expect(pets.list(status, limit, 'oldest')).toEqual(matching.slice(0, limit))
  expect(pets.list(status, limit, 'newest')).toEqual([...matching].reverse().slice(0, limit))
  expect(pets.range(status, 3, 2, limit)).toEqual(matching.filter((one) => one.id > 3).slice(2, limit + 2))
  expect([...pets.values()]).toEqual(sorted)
  expect([pets.size, pets.nextId]).toEqual([sorted.length, nextId])
  for (const one of sorted) expect(pets.get(one.id)).toBe(one)
}

it('following keeps every digit', () => {
  expect(following(1)).toBe(2)
  expect(following(2n ** 62n)).toBe(2n ** 62n + 1n)
})
