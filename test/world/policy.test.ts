import { expect, it } from 'vitest'
import { deprecationHeaders, isRemoved, renamedCode } from '../../src/world/policy.ts'
import { policyWith } from './policy.ts'

it.each([
  ['pet_not_found', 'missing'],
  ['invalid_body', 'invalid_body'],
  ['of_a_rule', 'of_a_rule'],
  ['constructor', 'constructor'],
  ['__proto__', '__proto__'],
])('the code %s is sent as %s', (code, sent) => {
  expect(renamedCode(policyWith({ 'errors.codes': 'pet_not_found:missing' }), code)).toBe(sent)
})

it('an operation is removed from its instant on, unless it is still served', () => {
  const policy = policyWith()
  const { removedOn } = policy.get
  expect([isRemoved(policy, removedOn - 1), isRemoved(policy, removedOn)]).toEqual([false, true])
  expect(isRemoved(policyWith({ 'get.afterRemoval': 'serve' }), removedOn)).toBe(false)
})

it('the instant of the deprecation is rounded down to a second, also before 1970', () => {
  const since = (at: string) =>
    deprecationHeaders(policyWith({ 'get.deprecatedSince': at }), undefined, '<x>')[1]
  expect(since('2026-01-01T00:00:00.999Z')).toBe('@1767225600')
  expect(since('1969-12-31T23:59:59.500Z')).toBe('@-1')
})

it('the sunset is sent if it is given', () => {
  expect(deprecationHeaders(policyWith(), 'Thu, 05 Dec 2030 00:00:00 GMT', '<x>')).toEqual([
    'Deprecation',
    '@1764892800',
    'Sunset',
    'Thu, 05 Dec 2030 00:00:00 GMT',
    'Link',
    '<x>',
  ])
})
