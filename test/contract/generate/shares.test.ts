import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dealStatuses, parseShares, type Shares } from '../../../src/contract/generate/shares.ts'
import { chance } from '../../../src/time/chance.ts'
import { PET_STATUSES } from '../../../src/world/pets/pet.ts'

const counted = (count: number, shares: Shares) => {
  const dealt = dealStatuses(count, shares, chance(1, 'test'), PET_STATUSES)
  return PET_STATUSES.map((status) => dealt.filter((other) => other === status).length)
}

describe('shares as text', () => {
  it.each<[string, Shares]>([
    ['available=60,pending=30,sold=10', { available: 60, pending: 30, sold: 10 }],
    [' sold = 1 , available=0.5', { available: 0.5, sold: 1 }],
    // As JavaScript writes it, and so the history of a seed.
    ['sold=1e-7', { sold: 1e-7 }],
    ['pending=1', { pending: 1 }],
    ['on hold=1,toString=2', { 'on hold': 1, toString: 2 as never }],
  ])('%s', (text, shares) => expect(parseShares(text)).toEqual(shares))

  it.each([
    ['', '"" is not a valid share; use available=60,pending=30,sold=10'],
    ['available', '"available" is not a valid share; use'],
    ['available=60,', '"" is not a valid share; use'],
    ['available=-1', '"available=-1" is not a valid share; use'],
    ['available=1e3', '"available=1e3" is not a valid share; use'],
    ['available=60%', '"available=60%" is not a valid share; use'],
    ['=1', '"=1" is not a valid share; use'],
    ['sold=1,sold=2', 'the share of sold is given twice'],
    ['available=0,sold=0', 'at least one share must be more than 0'],
    [`sold=${'9'.repeat(16)}`, '"sold=9999999999999999" is not a valid share; use'],
  ])('not "%s"', (text, message) => expect(() => parseShares(text)).toThrow(message))
})

describe('statuses in shares', () => {
  it.each<[number, Shares, number[]]>([
    [500, { available: 60, pending: 30, sold: 10 }, [300, 150, 50]],
    [3, { available: 1, pending: 1, sold: 1 }, [1, 1, 1]],
    [2, { available: 1, pending: 1, sold: 1 }, [1, 1, 0]],
    [10, { available: 0.1, pending: 0.2, sold: 0.7 }, [1, 2, 7]],
    [7, { available: 60, pending: 30, sold: 10 }, [4, 2, 1]],
    [5, { sold: 3 }, [0, 0, 5]],
    [0, { sold: 1 }, [0, 0, 0]],
  ])('%i in %o', (count, shares, expected) => expect(counted(count, shares)).toEqual(expected))

  it.each(['lost', 'toString', '__proto__'])('not of %s, which no pet has', (name) => {
    const message = `status.${name} is not known here; known: available, pending, sold`
    expect(() => counted(0, parseShares(`sold=1,${name}=1`))).toThrow(message)
  })

  it('of the statuses of an overlay; of every name if a status may be any text', () => {
    const dealt = (shares: Shares, statuses?: readonly string[]) =>
      dealStatuses(4, shares, chance(1, 'test'), statuses).sort()
    expect(dealt({ adopted: 1, sold: 1 }, [...PET_STATUSES, 'adopted'])).toEqual([
      'adopted',
      'adopted',
      'sold',
      'sold',
    ])
    expect(dealt({ lost: 1 })).toEqual(['lost', 'lost', 'lost', 'lost'])
  })

  it('add up to the count, and each differs from its exact share by less than one', () => {
    const share = fc.oneof(fc.nat(100), fc.double({ min: 0, max: 1e6, noNaN: true }))
    const shares = fc
      .record({ available: share, pending: share, sold: share })
      .filter(({ available, pending, sold }) => available + pending + sold > 0)
    fc.assert(
      fc.property(fc.nat(2000), shares, (count, given) => {
        const total = given.available + given.pending + given.sold
        const dealt = counted(count, given)
        expect(dealt.reduce((sum, some) => sum + some)).toBe(count)
        for (const [index, status] of PET_STATUSES.entries()) {
          expect(Math.abs((dealt[index] as number) - (count * given[status]) / total)).toBeLessThan(1 + 1e-9)
        }
      }),
    )
  })
})
