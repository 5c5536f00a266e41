import { expect, it } from 'vitest'
import { inThousands } from '../../src/text/in-thousands.ts'

it.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [-100, '-100'],
  [-1234, '-1,234'],
  [2147483647, '2,147,483,647'],
  [2n ** 63n, '9,223,372,036,854,775,808'],
])('%s is written %s', (count, text) => {
  expect(inThousands(count)).toBe(text)
})
