import { expect, it } from 'vitest'
import { Budget } from '../../src/world/budget.ts'
import { capture, partsOf, restore } from '../../src/world/parts.ts'
import { StateSize } from '../../src/world/pets/state-size.ts'

const start = { pets: { pets: [], nextId: 1 }, keys: [], seed: 7, now: undefined, frozen: false }
const newParts = () =>
  partsOf({
    name: 'w1',
    start,
    stored: undefined,
    inherited: undefined,
    budget: new Budget(),
    stateSize: new StateSize(),
    onChange: () => {},
    ended: () => [],
  })

it('a captured state can be restored, also into other parts, and later changes do not affect it', () => {
  const parts = newParts()
  parts.collections.pets.put({ id: 5, name: 'Max', categoryId: 2 })
  parts.keys.replace([{ key: 'a', plan: 'pro' }])
  parts.label.value = 'a test'
  const state = capture(parts)
  parts.collections.pets.delete(5)
  parts.keys.replace([])
  parts.label.value = undefined
  const other = newParts()
  restore(other, state)
  other.collections.pets.put({ id: 6, name: 'Rex', categoryId: 2 })
  restore(parts, state)
  expect([...parts.collections.pets.values()].map(({ id }) => id)).toEqual([5])
  expect([parts.keys.stored, parts.label.value]).toEqual([[{ key: 'a', plan: 'pro' }], 'a test'])
})
