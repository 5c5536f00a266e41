import { expect, it } from 'vitest'
import { DAY, httpDate, iso, isShowable, parseInstant } from '../../src/time/instant.ts'

const LAST = parseInstant('9999-12-31T23:59:59.999Z')

it('a year has four digits, also for instants after 9999', () => {
  expect(iso(LAST - 1)).toBe('9999-12-31T23:59:59.998Z')
  expect(iso(LAST + DAY)).toBe('9999-12-31T23:59:59.999Z')
  // The date form of HTTP has no year of five digits.
  expect(httpDate(LAST + DAY)).toBe('Fri, 31 Dec 9999 23:59:59 GMT')
})

it.each([
  [0, true],
  [-1, false],
  [LAST, true],
  [LAST + 1, false],
  [Number.NaN, false],
])('a clock can show %s: %s', (instant, expected) => {
  expect(isShowable(instant)).toBe(expected)
})
