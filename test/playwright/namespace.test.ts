import fc from 'fast-check'
import { expect, it } from 'vitest'
import { namespaceOf } from '../../src/playwright/namespace.ts'
import { NAMESPACE_FORM } from '../../src/world/keys/bearer-token.ts'

const identity = {
  title: 'Adds a pet!',
  testId: '0123456789abcdef0123-0123456789abcdef0123',
  retry: 0,
  repeatEachIndex: 0,
}

it('every test has a valid namespace, which is the same in every run', () => {
  const any = fc.record({
    title: fc.string({ unit: 'grapheme', maxLength: 60 }),
    testId: fc.uuid(),
    retry: fc.nat(99),
    repeatEachIndex: fc.nat(9999),
  })
  fc.assert(
    fc.property(any, (each) => {
      expect(namespaceOf(each)).toMatch(NAMESPACE_FORM)
      expect(namespaceOf({ ...each })).toBe(namespaceOf(each))
    }),
  )
})

it('each repetition of a test, and each of two tests with one title, has its own', () => {
  const runs = [
    identity,
    { ...identity, retry: 1 },
    { ...identity, repeatEachIndex: 1 },
    { ...identity, testId: identity.testId.replace(/.$/, '4') },
  ]
  expect(new Set(runs.map(namespaceOf)).size).toBe(4)
  expect(namespaceOf(identity)).toBe('adds-a-pet-89abcdef0123-0-0')
})

it('a title without letters is omitted', () => {
  expect(namespaceOf({ ...identity, title: '🐕 犬' })).toBe('89abcdef0123-0-0')
})
