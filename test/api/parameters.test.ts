import { expect, it } from 'vitest'
import { checkParameters, readId } from '../../src/api/parameters.ts'
import type { Operation } from '../../src/contract/openapi/contract.ts'
import { policyWith } from '../world/policy.ts'
import { callOf, contract } from './call.ts'

const getPet = contract.operations.get('getPet') as Operation
const check = (target: string, decisions: Record<string, unknown>) =>
  checkParameters(callOf({ target }), getPet, policyWith(decisions))

it('lists everything that is wrong with the parameters of a request', () => {
  expect(check('/v1/pets/x?page=2&sort=name', {})).toEqual(['page', 'sort'])
  const strict = { unknown: 'reject', 'get.invalidId': '400' }
  expect(() => check('/v1/pets/x?page=2', strict)).toThrow(
    'petId must be an integer (int64); page is not a parameter of getPet',
  )
})

it.each([
  ['0', 0],
  ['9007199254740991', 9007199254740991],
  ['9007199254740993', 9007199254740993n],
  ['9223372036854775807', 9223372036854775807n],
  ['9223372036854775808', undefined],
  ['007', undefined],
  ['-1', undefined],
  ['+1', undefined],
  ['1.0', undefined],
  ['', undefined],
])('%j is the id %s', (text, id) => {
  expect(readId(text)).toBe(id)
})
