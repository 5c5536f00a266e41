import { expect, it } from 'vitest'
import { checkParameters, readId, readPet, validPet } from '../../src/api/input.ts'
import type { Operation } from '../../src/contract/openapi/contract.ts'
import { policyWith } from '../world/policy.ts'
import { callOf, contract } from './call.ts'

const createPet = contract.operations.get('createPet') as Operation

function created(body: string, decisions: Record<string, unknown> = {}) {
  const call = callOf({
    method: 'POST',
    target: '/v1/pets?page=2',
    headers: ['Content-Type', 'application/json'],
    body: new TextEncoder().encode(body),
  })
  const rules = { policy: policyWith(decisions), contract }
  const sent = readPet(call, createPet, contract.newPet, rules)
  const judged = { fields: sent.fields, described: sent.members }
  return { call, pet: validPet(call, createPet, sent, judged, rules) }
}

it('keeps declared fields, and lists the ignored ones by name', () => {
  const { call, pet } = created('{"id":9,"name":"Kit","colour":"red","categoryId":2.0}')
  expect(pet).toEqual({ name: 'Kit', categoryId: 2 })
  expect(call.ignored).toEqual(['parameter page', 'field id', 'field colour'])
})

it('reports each error once, in the order of the schema', () => {
  expect(() => created('{"status":"x","name":" "}', { 'create.blankName': 'reject' })).toThrow(
    'name must not be blank; categoryId is required; status must be one of available, pending, sold',
  )
})

it('refuses unknown inputs if the policy rejects them, parameters first', () => {
  const strict = { unknown: 'reject' }
  expect(() => created('{"colour":1}', strict)).toThrow('page is not a parameter of createPet')
})

const getPet = contract.operations.get('getPet') as Operation
const check = (target: string, decisions: Record<string, unknown>) =>
  checkParameters(callOf({ target }), getPet, policyWith(decisions))

it('lists everything that is wrong with the parameters of a request', () => {
  expect(check('/v1/pets/x?page=2&sort=name', {})).toEqual(['page', 'sort'])
  const strict = { unknown: 'reject', 'get.invalidId': '400' }
  expect(() => check('/v1/pets/x?page=2', strict)).toThrow(
    'petId must be an integer from 0 to 9,223,372,036,854,775,807, without leading zeros; page is not a parameter of getPet',
  )
})

it('shows a name without characters as ""', () => {
  expect(check('/v1/pets/1?=2', {})).toEqual(['""'])
  expect(() => check('/v1/pets/1?=2', { unknown: 'reject' })).toThrow('"" is not a parameter of getPet')
  expect(created('{"":1,"name":"Kit","categoryId":2}').call.ignored).toContain('field ""')
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
