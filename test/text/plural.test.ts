import { expect, it } from 'vitest'
import { plural } from '../../src/text/plural.ts'

it.each<[number | bigint, string]>([
  [0, '0 pets'],
  [1, '1 pet'],
  [-1, '-1 pets'],
  [1n, '1 pet'],
  [2n ** 64n + 1n, '18,446,744,073,709,551,617 pets'],
  [1.5, '1.5 pets'],
])('%s', (count, text) => {
  expect(plural(count, 'pet')).toBe(text)
})

it('an irregular plural is given explicitly', () => {
  expect([plural(1, 'reply', 'replies'), plural(2, 'reply', 'replies')]).toEqual(['1 reply', '2 replies'])
})
