import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eachValue, lineAt, repeatedName } from '../../../src/contract/openapi/json-positions.ts'

const TEXT = `{
  "pets": [
    {"id": 9007199254740993, "name": "a \\" b, ] } {"},
    {
      "name":
        "Max", "": [],
      "odd \\u0041": [[1, {"id": 2}]]
    }
  ],
  "keys": null
}`

describe('the line of a path in JSON', () => {
  it.each<[(string | number)[], number]>([
    [[], 1],
    [['pets'], 2],
    [['pets', 0, 'id'], 3],
    [['pets', 1], 4],
    [['pets', 1, 'name'], 5],
    [['pets', 1, ''], 6],
    [['pets', 1, 'odd A', 0, 1, 'id'], 7],
    [['keys'], 10],
  ])('%j is %i', async (path, line) => {
    expect(await lineAt(TEXT, path)).toBe(line)
  })

  it('of a missing value is the line of its parent', async () => {
    expect(await lineAt(TEXT, ['pets', 1, 'categoryId'])).toBe(4)
    expect(await lineAt(TEXT, ['pets', 7, 'id'])).toBe(2)
    expect(await lineAt(TEXT, ['pets', '0'])).toBe(2)
  })

  it('is found if a later value is nested too deeply', async () => {
    const deep = `{"a": 1,\n"b": 2,\n"c": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`
    expect(await lineAt(deep, ['b'])).toBe(2)
  })
})

it('every value is visited once with its path and its position', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json(), fc.constantFrom(0, 2), async (compact, indent) => {
      const value: unknown = JSON.parse(compact)
      const text = JSON.stringify(value, null, indent)
      const seen = new Map<string, number>()
      await eachValue(text, (path, position) => seen.set(JSON.stringify(path), position))
      for (const [path, position] of seen) {
        const found = (JSON.parse(path) as string[]).reduce((inner, step) => (inner as never)[step], value)
        const token =
          typeof found === 'object' && found ? (Array.isArray(found) ? '[' : '{') : JSON.stringify(found)
        expect(text.slice(position, position + token.length)).toBe(token)
      }
      expect(seen.size).toBe(valuesIn(value))
    }),
  )
})

const valuesIn = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, inner) => sum + valuesIn(inner), 1)
    : 1

describe('a name that an object has twice', () => {
  const found = (text: string) => repeatedName(text, JSON.parse(text))

  it.each([
    ['{"id": 1, "id": 2}', 'id', 10],
    ['[{"a": {"b": 1, "\\u0062": 2}}]', 'b', 16],
    ['{"a": 1, "b": 2, "b": 3, "a": 4}', 'b', 17],
  ])('%s', async (text, name, position) => {
    expect(await found(text)).toEqual({ name, position })
  })

  it.each([
    '[{"id": 1}, {"id": 2}]',
    '{"id": {"id": {"id": 1}}}',
    '{"name": "name\\" : {", "x": "\\"name\\":"}',
    '"id"',
  ])('not in %s', async (text) => {
    expect(await found(text)).toBeUndefined()
  })
})
