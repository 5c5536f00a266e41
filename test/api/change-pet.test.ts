import { describe, expect, it } from 'vitest'
import type { Answer } from '../../src/api/call.ts'
import { handlerOf, type OperationDeps } from '../../src/api/operations.ts'
import type { Operation, PetChange } from '../../src/contract/openapi/contract.ts'
import { parseJson } from '../../src/contract/openapi/json.ts'
import type { Pet } from '../../src/world/pets/pet.ts'
import { policyWith } from '../world/policy.ts'
import { callOf, contract } from './call.ts'

const REX: Pet = { id: 7, name: 'Rex', categoryId: 1, status: 'available' }

function changed(change: PetChange, body?: string, stored: object = REX) {
  const committed: string[] = []
  const deps: OperationDeps = {
    contract,
    policy: policyWith(),
    commit: (_world, { op }, apply) => {
      committed.push(op)
      return apply()
    },
  }
  const call = callOf({
    target: '/v1/pets/7',
    headers: ['Content-Type', 'application/json'],
    body: body === undefined ? undefined : new TextEncoder().encode(body),
  })
  const { pets } = call.world.collections
  pets.put(stored as Pet)
  const operation = { ...(contract.operations.get('getPet') as Operation), id: change, change }
  const answer = handlerOf(operation)?.(call, operation, deps) as Answer
  return { answer, committed, ignored: call.ignored, pet: pets.get(7), nextId: pets.nextId }
}

describe('update', () => {
  it('is a merge patch: fields without a new value stay, null removes a field', () => {
    expect(changed('update', '{"name":"Max"}').pet).toEqual({ ...REX, name: 'Max' })
    expect(changed('update', '{"status":null}').pet).toEqual({ id: 7, name: 'Rex', categoryId: 1 })
    expect(changed('update', '{}').pet).toEqual(REX)
  })

  it('cannot remove a required field', () => {
    expect(() => changed('update', '{"name":null,"categoryId":null}')).toThrow(
      'name is required; categoryId is required',
    )
  })

  it('keeps every digit, and the fields of an overlay that is no longer loaded', () => {
    const { answer, pet } = changed('update', '{"categoryId":9007199254740993}', { ...REX, color: 'red' })
    expect(pet).toMatchObject({ categoryId: 9007199254740993n, color: 'red' })
    expect(parseJson(String(answer.text))).toEqual({ ...REX, categoryId: 9007199254740993n })
  })
})

describe('replace', () => {
  it('keeps nothing of the pet except its id', () => {
    const { pet, committed } = changed('replace', '{"name":"Max","categoryId":2}')
    expect(pet).toEqual({ id: 7, name: 'Max', categoryId: 2 })
    expect(committed).toEqual(['update'])
  })

  it('needs every required field', () => {
    expect(() => changed('replace', '{"name":"Max"}')).toThrow('categoryId is required')
  })
})

it.each(['update', 'replace'] as const)('%s does not change the id', (change) => {
  const body = '{"id":99,"name":"Max","categoryId":2,"__proto__":{"polluted":1}}'
  const { pet, ignored } = changed(change, body)
  expect(pet?.id).toBe(7)
  expect(pet).not.toHaveProperty('polluted')
  expect(ignored.join()).toContain('id')
})

it('delete answers without a body, and the id is not used again', () => {
  const { answer, pet, nextId, committed } = changed('delete')
  expect([answer, pet, nextId, committed]).toEqual([{ status: 204 }, undefined, 8, ['delete']])
})
