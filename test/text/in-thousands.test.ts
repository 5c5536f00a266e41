import { expect, it } from 'vitest'
import { inThousands } from '../../src/text/in-thousands.ts'

it.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [2147483647, '2,147,483,647'],
])('%i is written %s', (count, text) => {
  expect(inThousands(count)).toBe(text)
})
