import { expect, it } from 'vitest'
import { readPet, validPet } from '../../src/api/sent-pet.ts'
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
  const rules = { policy: policyWith(decisions), petShape: contract.petShape }
  const sent = readPet(call, createPet, contract.newPet, rules)
  const judged = { fields: sent.fields, whole: sent.members }
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
