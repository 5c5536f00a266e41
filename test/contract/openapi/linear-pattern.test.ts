import fc from 'fast-check'
import { checkSync } from 'recheck'
import { expect, it } from 'vitest'
import { isLinearPattern } from '../../../src/contract/openapi/linear-pattern.ts'

it.each([
  '',
  '\\S',
  '^@-?\\d+$',
  '^[A-Z]{2}-\\d{4}$',
  '^[a-z0-9]+(?:-[a-z0-9]+)*$',
  '^(?:red|green|blue)$',
  '^\\d+(\\.\\d+)?(ms|s)$',
  '^\\p?$'.replace('\\p', 'é'),
  '^[^@\\s]+@[a-z]+$',
  '^\\p{L}+$',
  '^[\\p{Script=Greek} ]+$',
  '[a-z]{1,64}-',
])('%s is linear', (pattern) => {
  expect(isLinearPattern(pattern)).toBe(true)
})

it.each([
  '^(a+)+$',
  '^(a*)*$',
  '^(a?)*$',
  '^(a|a)*$',
  '^(a|ab)(c|bcd)*$',
  '^a*a*$',
  '^.*.*x$',
  'a+b',
  '^a|b+c',
  '^a?a?a?a?aaaa$',
  '^(?=a+)b$',
  '^(a)\\1+$',
  '^([а-я]+)+$',
  '^[а-я]+[а-г]+$',
  '^(\\u0430|[а-я])+$',
  '^(a?|b?)(a?|b?)$',
  '^\\p{L}+a*$',
  '^\\p{Lu}+[a-z]+$',
  '^\\p+$',
  '^(a{1,9}){1,9}$',
  `^${'a?'.repeat(30)}$`,
  '(?:(?:b{1,100}c){0,100}d){0,100}e',
  'a'.repeat(1001),
])('%s is not', (pattern) => {
  expect(isLinearPattern(pattern)).toBe(false)
})

/** Expressions of few characters, so that their parts overlap. */
const expressions = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('a', 'b', '[ab]', '[^a]', '.', '\\w', 'c'),
    fc
      .tuple(tie('any'), fc.constantFrom('*', '+', '?', '{0,3}', '{2,}'))
      .map(([one, times]) => `(${one})${times}`),
    fc.tuple(tie('any'), tie('any')).map(([one, other]) => one + other),
    fc.tuple(tie('any'), tie('any')).map(([one, other]) => `(?:${one}|${other})`),
  ),
})).any

it('no accepted expression is known to be slow', () => {
  let passed = 0
  fc.assert(
    fc.property(expressions, (expression) => {
      const pattern = `^${expression}$`
      if (!isLinearPattern(pattern)) return
      passed++
      expect(checkSync(pattern, '', { timeout: 1000 }).status).not.toBe('vulnerable')
    }),
    { seed: 1, numRuns: 300 },
  )
  expect(passed).toBeGreaterThan(30)
})
