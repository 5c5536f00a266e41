import { expect, it } from 'vitest'
import { renamedCode } from '../../src/world/policy.ts'
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
