import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Pets, petsOf } from '../../../src/domain/pets/collection.ts'
import { following, PET_STATUSES, type Pet } from '../../../src/domain/pets/pet.ts'

const pet = (id: number | bigint, status?: Pet['status']): Pet => ({
  id,
  name: `n${id}`,
  categoryId: 1,
  ...(status && { status }),
})
const statuses = fc.option(fc.constantFrom(...PET_STATUSES), { nil: undefined })

describe('pets', () => {
  it('answer every list and look-up as a plain array would', () => {
    fc.assert(
      fc.property(
        fc.array(statuses, { maxLength: 30 }),
        fc.array(statuses, { maxLength: 30 }),
        statuses,
        fc.integer({ min: 1, max: 40 }),
        (base, added, status, limit) => {
          const before = base.map((one, i) => pet(i * 2 + 1, one))
          const pets = new Pets({ pets: before, nextId: 100 })
          const all = [...before]
          for (const one of added) {
            pets.list(status, limit, 'oldest') // what was listed before must not stay
            const made = pet(pets.reserve(), one)
            pets.add(made)
            all.push(made)
          }
          const matching = all.filter((one) => !status || one.status === status)
          expect(pets.list(status, limit, 'oldest')).toEqual(matching.slice(0, limit))
          expect(pets.list(status, limit, 'newest')).toEqual([...matching].reverse().slice(0, limit))
          for (const one of all) expect(pets.get(one.id)).toBe(one)
          expect(pets.get(2)).toBeUndefined()
          expect(pets.get(99)).toBeUndefined()
          expect(petsOf(pets.view())).toEqual(all)
        },
      ),
    )
  })

  it('give the same list while nothing has changed, and another once something has', () => {
    const pets = new Pets({ pets: [pet(1)], nextId: 2 })
    const list = pets.list(undefined, 20, 'oldest')
    expect(pets.list(undefined, 20, 'oldest')).toBe(list)
    pets.add(pet(pets.reserve()))
    expect(pets.list(undefined, 20, 'oldest')).toHaveLength(2)
    expect(list).toHaveLength(1)
  })

  it('give no id twice, also when one is reserved and never used', () => {
    const pets = new Pets({ pets: [], nextId: Number.MAX_SAFE_INTEGER - 1 })
    const ids = [pets.reserve(), pets.reserve(), pets.reserve(), pets.reserve()]
    expect(ids).toEqual([9007199254740990, 9007199254740991, 9007199254740992n, 9007199254740993n])
    pets.add(pet(9007199254740992n))
    expect(pets.view().nextId).toBe(9007199254740993n)
    expect(pets.get(9007199254740992n)?.name).toBe('n9007199254740992')
  })

  it('keep a view as it was while they grow', () => {
    const pets = new Pets({ pets: [pet(1)], nextId: 2 })
    const view = pets.view()
    pets.add(pet(pets.reserve()))
    expect(petsOf(view)).toEqual([pet(1)])
    expect(view.nextId).toBe(2)
  })
})

it('following keeps every digit', () => {
  expect(following(1)).toBe(2)
  expect(following(2n ** 62n)).toBe(2n ** 62n + 1n)
})
