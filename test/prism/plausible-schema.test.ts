import fc from 'fast-check'
import { expect, it } from 'vitest'
import { plausible } from '../../src/prism/mocker.ts'

it('integers are generated within the bounds of the schema, in a range of at most a million', () => {
  const bound = fc.option(fc.integer({ min: -5_000_000, max: 5_000_000 }), { nil: undefined })
  fc.assert(
    fc.property(bound, bound, (one, other) => {
      const [low, high] =
        one !== undefined && other !== undefined && one > other ? [other, one] : [one, other]
      const schema = {
        type: 'integer',
        ...(low !== undefined && { minimum: low }),
        ...(high !== undefined && { maximum: high }),
      }
      const { minimum, maximum } = plausible(schema) as { minimum: number; maximum: number }
      expect(minimum).toBeLessThanOrEqual(maximum)
      expect(maximum - minimum).toBeLessThanOrEqual(1_000_000)
      if (low !== undefined) expect(minimum).toBe(low)
      if (high !== undefined) expect(maximum).toBeLessThanOrEqual(high)
    }),
  )
  for (const type of ['integer', ['integer', 'null']])
    expect(plausible({ type })).toMatchObject({ minimum: 1, maximum: 1_000_001 })
})

it('a schema with other keywords is unchanged', () => {
  for (const schema of [
    { type: 'integer', enum: [7] },
    { type: 'integer', exclusiveMinimum: 5 },
  ]) {
    expect(plausible(schema)).toEqual(schema)
  }
  const object = { type: 'object', properties: {} }
  expect(plausible(object)).toBe(object)
})
