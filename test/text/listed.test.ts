import { expect, it } from 'vitest'
import { inThousands, listed, shorten } from '../../src/text/listed.ts'

it('names the first and counts the others', () => {
  expect(listed(['a', 'b'], 2)).toBe('a; b')
  expect(
    listed(
      Array.from({ length: 1236 }, (_, i) => `p${i}`),
      2,
    ),
  ).toBe('p0; p1; and 1,234 more')
})

it.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [2147483647, '2,147,483,647'],
])('%i is written %s', (count, text) => {
  expect(inThousands(count)).toBe(text)
})

it('a long text is its beginning', () => {
  expect(shorten('abc', 3)).toBe('abc')
  expect(shorten('abcd', 3)).toBe('abc…')
})
