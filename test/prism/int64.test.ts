import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boundInt64, nameInt64, standIn, withoutBigints } from '../../src/prism/int64.ts'

const [LOWEST, HIGHEST] = [-(2n ** 63n), 2n ** 63n - 1n]
const bounds = boundInt64({ type: 'integer', format: 'int64' }) as { minimum: number; maximum: number }

it('the double of an integer is within the bounds exactly if the integer is an int64', () => {
  const integer = fc.oneof(
    fc.bigInt(),
    ...[LOWEST, HIGHEST, 0n].map((edge) => fc.bigInt({ min: edge - 3000n, max: edge + 3000n })),
    fc.nat(2000).map((digits) => 10n ** BigInt(digits)),
    fc.nat(2000).map((digits) => -(10n ** BigInt(digits))),
  )
  fc.assert(
    fc.property(integer, (each) => {
      const number = standIn(each)
      expect(Number.isFinite(number)).toBe(true)
      expect(number >= bounds.minimum && number <= bounds.maximum).toBe(each >= LOWEST && each <= HIGHEST)
    }),
    { numRuns: 500 },
  )
})

describe('the bounds', () => {
  it('of a schema stay if they are narrower', () => {
    expect(boundInt64({ format: 'int64', minimum: 0, maximum: 5, type: 'integer' })).toEqual({
      type: 'integer',
      minimum: 0,
      maximum: 5,
    })
    expect(boundInt64({ format: 'int64', minimum: -1e30 })).toEqual(boundInt64({ format: 'int64' }))
  })

  it('are added to no other format', () => {
    const schema = { type: 'integer', format: 'int32' }
    expect(boundInt64(schema)).toBe(schema)
  })

  it('are replaced in messages', () => {
    expect(nameInt64(`id must be <= ${bounds.maximum}`)).toBe(
      'id must be within int64 (at most 9,223,372,036,854,775,807)',
    )
    expect(nameInt64(`id must be >= ${bounds.minimum}`)).toBe(
      'id must be within int64 (at least -9,223,372,036,854,775,808)',
    )
    expect(nameInt64('limit must be <= 100')).toBe('limit must be <= 100')
  })
})

it('bigints are replaced at any depth, and nothing else is', () => {
  const value = { a: [1n, null, 'x', 2.5, { b: 2n ** 70n }], c: true }
  expect(withoutBigints(value)).toEqual({ a: [1, null, 'x', 2.5, { b: 2 ** 70 }], c: true })
})
