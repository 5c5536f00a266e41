import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from '../../../src/contract/openapi/json.ts'
import { parseObjectSteps } from '../../../src/contract/openapi/json-steps.ts'

function run(text: string): { value: unknown; steps: number } {
  const work = parseObjectSteps(text)
  for (let steps = 1; ; steps++) {
    const step = work.next()
    if (step.done) return { value: step.value, steps }
  }
}

describe('JSON that is parsed in steps', () => {
  it('has the same result as parseJson', () => {
    const spaced = fc.tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(0, 2))
    fc.assert(
      fc.property(spaced, ([value, space]) => {
        const text = JSON.stringify(value, null, space)
        expect(run(text).value).toEqual(parseJson(text))
      }),
    )
    expect(run('{"pets":[{"id":9007199254740993}, {"id":1e2}]}').value).toEqual({
      pets: [{ id: 9007199254740993n }, { id: 100 }],
    })
  })

  it('is refused whenever parseJson refuses it', () => {
    const whole = '{"pets":[{"name":"a\\"]}","n":-1.5e3}, [true]],"b":{"c":null}}'
    fc.assert(
      fc.property(
        fc.nat(whole.length - 1),
        fc.constantFrom('', ',', '}', ']', '"', '{', ':', 'x'),
        (at, put) => {
          const text = whole.slice(0, at) + put + whole.slice(at + 1)
          const outcome = (parse: () => unknown) => {
            try {
              return parse()
            } catch (error) {
              return (error as Error).name
            }
          }
          const atOnce = outcome(() => parseJson(text))
          fc.pre(typeof atOnce === 'string' || text.startsWith('{'))
          const inSteps = outcome(() => run(text).value)
          expect(inSteps ?? 'SyntaxError').toEqual(atOnce)
        },
      ),
      { numRuns: 500 },
    )
    expect(() => run('{"a":1,"a":2}')).toThrow("Duplicate key 'a'")
    expect(() => run(`{"a":"${'x'.repeat(1024 * 1024)}"}`)).toThrow('longer than 1 MiB')
    expect(() => run(`{"pets":[${'{},'.repeat(1_000_001)}{}]}`)).toThrow('more than 1,000,000 items')
  })

  it('takes at least one step for 64 KiB of text', () => {
    const blanks = ' '.repeat(1024 * 1024)
    for (const text of [
      `${blanks}{}`,
      `{"a":[${blanks}]}`,
      `{${blanks}}`,
      `{"a":"${'x'.repeat(900_000)}"}`,
    ]) {
      expect(run(text).steps).toBeGreaterThanOrEqual(Math.floor(text.length / 65_536))
    }
    expect(run(`{"pets":[${'{},'.repeat(9_999)}{}]}`).steps).toBeGreaterThan(9_999)
  })
})
