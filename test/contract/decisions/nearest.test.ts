import { expect, it } from 'vitest'
import { didYouMean } from '../../../src/contract/decisions/nearest.ts'

const NAMES = ['list.limit', 'list.Order', 'ban.after', 'cors', '--detach', '--cert', '--fork', 'mcp']

it.each([
  ['list.limits', 'list.limit'],
  ['LIST.ORDER', 'list.Order'],
  ['lst.ordr', 'list.Order'],
  ['ban.aftre', 'ban.after'],
  ['cor', 'cors'],
  ['--frok', '--fork'],
  ['list.lxxxt', 'list.limit'],
])('%s: did you mean %s?', (given, meant) => {
  expect(didYouMean(given, NAMES)).toBe(` Did you mean ${meant}?`)
})

it.each([
  '',
  'x',
  'co',
  '123',
  'list',
  'something.else',
  'list.xxxxt',
  '--watch',
  '--core',
  'mock',
  '🐕🐕🐕🐕',
])('no suggestion for %j', (given) => {
  expect(didYouMean(given, [...NAMES, '12345'])).toBe('')
})

it('no suggestion without candidates', () => {
  expect(didYouMean('cors', [])).toBe('')
})
