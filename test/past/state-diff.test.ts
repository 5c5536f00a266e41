import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KeyLimits, StateDiff } from '../../src/contract/generated/control.types.d.ts'
import { type ComparedState, diffSteps } from '../../src/past/state-diff.ts'
import type { Int64, Pet } from '../../src/world/pets/pet.ts'

const pet = (id: Int64, name = 'Rex'): Pet => ({ id, name, categoryId: 1 })
const state = (pets: readonly Pet[], limits?: readonly KeyLimits[]): ComparedState => ({
  pets,
  nextId: 9,
  limits,
})

function diff(a: ComparedState, b: ComparedState): StateDiff & { steps: number } {
  const steps = diffSteps(a, b)
  let count = 0
  let step = steps.next()
  for (; !step.done; step = steps.next()) count++
  return { ...step.value, steps: count }
}

const ids = ({ first }: StateDiff['added']) => first.map(({ id }) => id)

it('every pet is added, removed, changed or equal', () => {
  const pets = fc
    .uniqueArray(fc.record({ id: fc.nat(20), name: fc.constantFrom('Rex', 'Max') }), {
      selector: ({ id }) => id,
    })
    .map((drafts) =>
      drafts.map(({ id, name }) => pet(id, name)).toSorted((a, b) => Number(a.id) - Number(b.id)),
    )
  fc.assert(
    fc.property(pets, pets, (before, after) => {
      const found = diff(state(before), state(after))
      const nameOf = (all: readonly Pet[], id: Int64) => all.find((each) => each.id === id)?.name
      const all = [...new Set([...before, ...after].map(({ id }) => Number(id)))].toSorted((a, b) => a - b)
      const [was, is] = [(id: number) => nameOf(before, id), (id: number) => nameOf(after, id)]
      expect(ids(found.added)).toEqual(all.filter((id) => !was(id)))
      expect(ids(found.removed)).toEqual(all.filter((id) => !is(id)))
      expect(ids(found.changed)).toEqual(all.filter((id) => was(id) && is(id) && was(id) !== is(id)))
    }),
  )
})

it('a changed pet has its new fields; ids beyond 2^53 are compared exactly', () => {
  const large = 9007199254740992n
  const found = diff(state([pet(1), pet(large)]), state([pet(1, 'Max'), pet(large + 1n)]))
  expect(found.changed.first).toEqual([pet(1, 'Max')])
  expect([ids(found.removed), ids(found.added)]).toEqual([[large], [large + 1n]])
})

it('the first hundred of each kind are listed, all are counted, and many are compared in steps', () => {
  const many = Array.from({ length: 2500 }, (_, i) => pet(i))
  const { added, removed, steps } = diff(state(many), state([]))
  expect([removed.count, removed.first.length, added.count, steps]).toEqual([2500, 100, 0, 2])
  const { changed } = diff(state(many), state(many.map(({ id }) => pet(id, 'Max'))))
  expect([changed.count, changed.first.length, changed.was.length]).toEqual([2500, 100, 100])
})

describe('limits', () => {
  const limits = (key: string, remaining: number): KeyLimits => ({
    key,
    plan: 'free',
    minute: { limit: 60, remaining },
    day: { limit: 1000, remaining: 1000 },
    ban: null,
  })

  it('of keys that both states have are compared', () => {
    const found = diff(
      state([], [limits('a', 1), limits('b', 1)]),
      state([], [limits('c', 2), limits('b', 2), limits('a', 1)]),
    )
    expect(found.limits).toEqual({ count: 1, first: [{ a: limits('b', 1), b: limits('b', 2) }] })
  })

  it('are omitted if one of the two states has none', () => {
    expect(diff(state([], [limits('a', 1)]), state([]))).not.toHaveProperty('limits')
  })
})
