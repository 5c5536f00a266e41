import { describe, expect, it } from 'vitest'
import { layersOf } from '../../../src/world/keys/encodings.ts'
import { namedValuesIn } from '../../../src/world/keys/named-values.ts'

/** The values that are found in a text as it is sent, then with each encoding removed. */
const found = (text: string) =>
  layersOf(text).map((layer) =>
    namedValuesIn(layer).map(({ name, value, start }) => {
      expect(layer.text.slice(start).startsWith(value)).toBe(true)
      return `${name}: ${value}`
    }),
  )

describe('values with the name of a secret', () => {
  it.each([
    ['/v1/pets?limit=1&token=one&q=two', [['token: one']]],
    ['password=two; name=three', [['password: two']]],
    ['see token=one.', [['token: one']]],
    ['/_sandbox/keys/psk_a1/ban', [['key: psk_a1']]],
    ['{"name":"Rex","password":"a, \'b\'"}', [['password: "a, \'b\'"']]],
    ['{"pin":12,"secret": 34}', [['secret: 34']]],
    ['{"secret":"cut of', [['secret: "cut of']]],
    // Names within a list are none of its values.
    ['{"tokens":["a",{"b":["c"]}],"d":"e"}', [['tokens: "a"', 'tokens: "c"']]],
    ['token%3Done%26q%3Dtwo', [[], ['token: one']]],
    // The value ends with the text in which it is, although the quotes of both look alike after decoding.
    ['{"a":"{\\"token\\":\\"b\\"}","c":"d"}', [[], ['token: "b"']]],
    ['{"a":"{\\"token\\":","c":"d"}', [[], ['token: ']]],
    ['{"a":"?token=b","c":"\\u0064"}', [['token: b'], ['token: b']]],
    ['{"keyboard":"a","donkey":"b","pets":"keys"}', [[]]],
  ])('%s', (text, layers) => {
    expect(found(text)).toEqual(layers)
  })
})
