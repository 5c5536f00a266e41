import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Pet } from '../../../src/world/pets/pet.ts'
import { PetTree } from '../../../src/world/pets/tree.ts'

const pet = (id: number, name = ''): Pet => ({ id, name, categoryId: 1 })
const idsOf = (pets: Iterable<Pet>) => [...pets].map(({ id }) => id)

/** More than two full levels, so that leaves and branches are split and removed. */
const MANY = 64 * 64 + 100

it('is a sorted map with positions, after any changes', () => {
  const step = fc.record({ id: fc.nat(300), deletes: fc.boolean() })
  fc.assert(
    fc.property(fc.nat(200), fc.array(step, { maxLength: 400 }), (size, steps) => {
      const model = new Map(Array.from({ length: size }, (_, i) => [2 * i, pet(2 * i)]))
      const tree = new PetTree([...model.values()])
      steps.forEach(({ id, deletes }, index) => {
        const before = model.get(id)
        if (deletes) {
          expect(tree.delete(id)).toEqual(before)
          model.delete(id)
        } else {
          expect(tree.set(pet(id, `${index}`))).toEqual(before)
          model.set(id, pet(id, `${index}`))
        }
      })
      const expected = [...model.values()].sort((a, b) => Number(a.id) - Number(b.id))
      expect([...tree.values()]).toEqual(expected)
      expect(tree.size).toBe(expected.length)
      expected.forEach(({ id }, position) => {
        expect(tree.get(id)).toEqual(model.get(Number(id)))
        expect(tree.rank(id)).toBe(position + 1)
      })
      expect(tree.slice(3, 70)).toEqual(expected.slice(3, 73))
    }),
    { numRuns: 50 },
  )
})

it('grows by ids before its first and between others, and shrinks to zero', () => {
  const tree = new PetTree()
  for (let id = MANY; id > 0; id -= 2) tree.set(pet(id))
  for (let id = 1; id <= MANY; id += 2) tree.set(pet(id))
  expect(tree.size).toBe(MANY)
  expect(idsOf(tree.slice(MANY - 2, 9))).toEqual([MANY - 1, MANY])
  for (let id = 1; id <= MANY; id++) expect(tree.delete(id)?.id).toBe(id)
  expect(tree.size).toBe(0)
  expect(idsOf(tree.values())).toEqual([])
  tree.set(pet(7))
  expect(idsOf(tree.values())).toEqual([7])
})

it('shares nothing mutable with a copy', () => {
  const tree = new PetTree(Array.from({ length: MANY }, (_, i) => pet(i + 1)))
  const copy = tree.copy()
  tree.delete(1)
  copy.set(pet(5, 'changed'))
  tree.set(pet(MANY + 1))
  expect([tree.size, copy.size]).toEqual([MANY, MANY])
  expect([tree.get(5)?.name, copy.get(5)?.name]).toEqual(['', 'changed'])
  expect([tree.get(1), copy.get(1)?.id, copy.get(MANY + 1)]).toEqual([undefined, 1, undefined])
})
