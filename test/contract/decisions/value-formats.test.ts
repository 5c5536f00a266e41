import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  count,
  countOr,
  instant,
  oneOf,
  originOf,
  origins,
  plan,
  renames,
  yesOrNo,
} from '../../../src/contract/decisions/value-formats.ts'
import { API_ERRORS } from '../../../src/world/api-error.ts'
import { UNLIMITED } from '../../../src/world/plan.ts'

const limit = fc.option(fc.integer({ min: 1, max: UNLIMITED }))
const code = fc.stringMatching(/^[a-z._-]{1,20}$/)

/** The text that `decisions` prints for a value is read as the same value. */
it.each<[string, { read(value: unknown): unknown; write(value: never): string }, fc.Arbitrary<unknown>]>([
  ['yes or no', yesOrNo, fc.boolean()],
  ['a count', count, fc.integer({ min: 1, max: UNLIMITED })],
  ['a count or none', countOr('plan'), limit],
  ['an instant', instant, fc.integer({ min: 0, max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) })],
  ['a plan', plan, fc.record({ perMinute: limit, perDay: limit })],
  [
    'renames',
    renames,
    fc.dictionary(fc.constantFrom(...Object.keys(API_ERRORS)), code, { noNullPrototype: true }),
  ],
  ['origins', origins, fc.constantFrom('*', ['https://a.example', 'null'], ['app://x', 'http://[::1]:8080'])],
])('a written value is parsed back: %s', (_, { read, write }, values) => {
  fc.assert(
    fc.property(values, (value) => {
      expect(read(write(value as never))).toEqual(value)
    }),
  )
})

it.each([
  'constructor',
  'toString',
  '__proto__',
  'hasOwnProperty',
  '',
  'TRUE',
  '1',
  null,
  undefined,
  [true],
  {},
])('%j is neither true nor false', (value) => {
  expect(yesOrNo.read(value)).toBeUndefined()
})

describe('words and numbers', () => {
  it('are read from their text, without other conversions', () => {
    expect(oneOf('404', 'mock').read(404)).toBe('404')
    expect(oneOf(429, 403).read('403')).toBe(403)
    for (const value of ['403.0', ' 403', '0403', '4.03e2', [403], { toString: () => '403' }, null]) {
      expect(oneOf(429, 403).read(value), String(value)).toBeUndefined()
    }
  })

  it('a count is from 1 to the largest int32, in digits', () => {
    expect([count.read(1), count.read('2147483647')]).toEqual([1, 2147483647])
    for (const value of [
      0,
      '01',
      '+1',
      '1e3',
      1.5,
      '2147483648',
      '99999999999',
      true,
      -1,
      Number.NaN,
      10n ** 20n,
    ]) {
      expect(count.read(value), String(value)).toBeUndefined()
    }
  })
})

it.each([
  ['HTTP://A.example:80', 'http://a.example'],
  ['http://a.example:81', 'http://a.example:81'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ['capacitor://localhost', 'capacitor://localhost'],
  ['null', 'null'],
  ['http://a.example/', undefined],
  ['http://user@a.example', undefined],
  ['http://a.example?x', undefined],
  ['http://a b', undefined],
  ['http://', undefined],
  ['//a.example', undefined],
  ['javascript:alert(1)', undefined],
  ['', undefined],
])('the origin %j is %j', (text, origin) => {
  expect(originOf(text)).toBe(origin)
})
