import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson, stringifyJson } from '../../../src/contract/openapi/json.ts'

describe('JSON without a lost digit', () => {
  it.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['-9007199254740993', -9007199254740993n],
    ['9007199254740993.0', 9007199254740993n],
    ['1e18', 1000000000000000000n],
    ['1.5e1', 15],
    ['100e-2', 1],
    ['-0', 0],
    ['-0.0', 0],
    ['0e999999999', 0],
    ['1.5', 1.5],
    ['1e400', Number.POSITIVE_INFINITY],
  ])('%s', (text, value) => {
    expect(parseJson(text)).toBe(value)
  })

  it.each(['1e-400', '9007199254740990.4', '1e-999999999', '9007199254740993.5'])(
    '%s is no safe integer, though a double would make one of it',
    (text) => {
      expect(Number.isSafeInteger(parseJson(text))).toBe(false)
      expect(typeof parseJson(text)).toBe('number')
    },
  )

  it('every int64 comes back as it went', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        expect(stringifyJson(parseJson(String(value)))).toBe(String(value))
      }),
    )
  })

  it('everything else is as JSON.parse has it', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.parse(stringifyJson(parseJson(text)))).toEqual(JSON.parse(text))
      }),
    )
  })
})
