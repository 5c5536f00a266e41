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
    ['0e-999999999', 0],
    ['1.5', 1.5],
    ['1e400', Number.POSITIVE_INFINITY],
  ])('%s', (text, value) => {
    expect(parseJson(text)).toBe(value)
  })

  it.each(['1e-400', '9007199254740990.4', '1e-999999999', '9007199254740993.5'])(
    '%s is not a safe integer, although a double would round it to one',
    (text) => {
      expect(Number.isSafeInteger(parseJson(text))).toBe(false)
      expect(typeof parseJson(text)).toBe('number')
    },
  )

  it('every int64 is read and written without a change', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        expect(stringifyJson(parseJson(String(value)))).toBe(String(value))
      }),
    )
  })

  it('all other values are those of JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.parse(stringifyJson(parseJson(text)))).toEqual(JSON.parse(text))
      }),
    )
  })

  it('a text that JSON.parse can read has the same result by both parsers', () => {
    const names = fc.constantFrom('a', 'b', '__proto__', '"', 'x":', '\\u0061')
    const text = fc
      .tuple(fc.json(), names, fc.json(), names, fc.json())
      .map(([a, name, b, other, c]) => `{"${name}":${a},"l":[${b}],"${other}":${c}}`)
    const read = (json: string) => {
      try {
        return { value: parseJson(json) }
      } catch (error) {
        return { error: (error as Error).name }
      }
    }
    fc.assert(
      fc.property(fc.oneof(text, fc.json(), fc.string()), (json) => {
        // The fraction beside it selects the other parser.
        const beside = read(`[${json}, 1.0]`) as { value?: unknown[]; error?: string }
        const isOne = beside.value?.length === 2
        fc.pre(beside.error !== undefined || isOne)
        expect(read(json)).toEqual(isOne ? { value: beside.value?.[0] } : beside)
      }),
      { numRuns: 2000 },
    )
  })

  it.each(['[', '{"a":'])('a text that is nested too deeply is refused: %s…', (open) => {
    expect(() => parseJson(open.repeat(100_000))).toThrow()
    const close = open === '[' ? ']' : '}'
    expect(() => parseJson(`${open.repeat(100_000)}1${close.repeat(100_000)}`)).toThrow(RangeError)
    expect(() => parseJson(`${open.repeat(64)}1${close.repeat(64)}`)).not.toThrow()
  })
})
