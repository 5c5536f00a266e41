import { expect, it } from 'vitest'
import { Value } from '../../../src/world/part.ts'
import { Collections } from '../../../src/world/pets/collections.ts'

const table = { pets: [{ id: 1, name: 'Rex', categoryId: 1 }], nextId: 2 }

function newCollections(stored?: ConstructorParameters<typeof Collections>[1]) {
  const replaced = new Value(0)
  const collections = new Collections(table, stored, (_added, bytes) => {
    replaced.restore(replaced.capture() + bytes)
  })
  return { collections, replaced }
}

it('the state that survives a restart is captured, and later changes do not affect it', () => {
  const { collections } = newCollections()
  collections.pets.put({ id: 5, name: 'Max', categoryId: 2 })
  const stored = collections.capture()
  collections.pets.delete(1)
  const { pets } = newCollections(stored).collections
  expect([[...pets.values()].map(({ id }) => id), pets.nextId]).toEqual([[1, 5], 6])
})

it('the collection of psk_empty is new until it is changed', () => {
  const { collections } = newCollections()
  expect(collections.capture().empty.isNew).toBe(true)
  collections.empty.put({ id: 1, name: 'Max', categoryId: 2 })
  collections.empty.delete(1)
  expect(collections.capture().empty.isNew).toBe(false)
})

it('a change that could not be stored is undone', () => {
  const { collections } = newCollections()
  const before = collections.capture()
  collections.set('pets', { pets: [], nextId: 9 })
  collections.restore(before)
  expect([collections.pets.size, collections.pets.nextId]).toEqual([1, 2])
})

it('counts the data that only the past keeps: updated, deleted and replaced pets', () => {
  const { collections, replaced } = newCollections()
  collections.pets.put({ id: 2, name: 'new', categoryId: 1 })
  expect(replaced.value).toBe(0)
  collections.pets.put({ id: 2, name: 'changed', categoryId: 1 })
  // The initial pets stay in their table.
  collections.pets.delete(1)
  collections.pets.delete(2)
  const afterChanges = replaced.value
  expect(afterChanges).toBeGreaterThan(200)
  const before = collections.capture()
  collections.pets.put({ id: 3, name: 'x'.repeat(10_000), categoryId: 1 })
  collections.restore(before)
  expect(replaced.value - afterChanges).toBeGreaterThan(20_000)
  expect(replaced.value - afterChanges).toBeLessThan(21_000)
})
