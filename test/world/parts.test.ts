import { expect, it } from 'vitest'
import { WorldParts } from '../../src/world/parts.ts'
import { StateSize } from '../../src/world/pets/state-size.ts'
import { Budget } from '../../src/world/traffic/budget.ts'

const pets = [{ id: 1, name: 'Rex', categoryId: 1 }]
const start = { pets: { pets, nextId: 2 }, keys: [], seed: 7, now: undefined, frozen: false }
const partsOf = (stored?: ConstructorParameters<typeof WorldParts>[2]) =>
  new WorldParts('w1', start, stored, undefined, {
    budget: new Budget(),
    stateSize: new StateSize(Infinity, () => 0),
  })

it('what survives a restart is there after it, and no later change reaches it', () => {
  const parts = partsOf()
  parts.collections.pets.put({ id: 5, name: 'Max', categoryId: 2 })
  parts.keys.replace([{ key: 'a', plan: 'pro' }])
  const stored = parts.stored()
  parts.collections.pets.delete(1)
  const again = partsOf(stored)
  expect([...again.collections.pets.values()].map(({ id }) => id)).toEqual([1, 5])
  expect([again.collections.pets.nextId, again.keys.stored]).toEqual([6, [{ key: 'a', plan: 'pro' }]])
})

it('the collection of psk_empty is stored only once it was changed', () => {
  const parts = partsOf()
  expect(parts.stored()).not.toHaveProperty('empty')
  parts.collections.empty.put({ id: 1, name: 'Max', categoryId: 2 })
  expect(parts.stored().empty?.size).toBe(1)
})

it('a change that could not be stored is put back, with its keys', () => {
  const parts = partsOf()
  const before = parts.stored()
  parts.setPets('pets', { pets: [], nextId: 9 })
  parts.keys.replace([{ key: 'a', plan: 'pro' }])
  parts.restoreStored(before)
  expect([parts.collections.pets.size, parts.collections.pets.nextId, parts.keys.stored]).toEqual([1, 2, []])
})
