import { beforeAll, describe, expect, it } from 'vitest'
import { operationsOf } from '../../src/contract/openapi/document.ts'
import { stringifyJson } from '../../src/contract/openapi/json.ts'
import { createMocker, type MockedResponse, type Mocker } from '../../src/prism/mocker.ts'
import { type ContractValidator, createContractValidator } from '../../src/prism/validator.ts'
import { animalStore, documentOf } from './document.ts'

let mocker: Mocker
let judge: ContractValidator
beforeAll(async () => {
  mocker = await createMocker(animalStore())
  judge = await createContractValidator(animalStore())
})

const verdict = (judge: ContractValidator, operationId: string, { status, headers, body }: MockedResponse) =>
  judge.validateResponse(operationId, {
    status,
    headers: Object.entries(headers).flat(),
    body: body === undefined ? '' : stringifyJson(body),
  })

describe('every declared answer of every operation', () => {
  const answers = [...operationsOf(animalStore())].flatMap(({ operation }) =>
    Object.keys(operation.responses).map(
      (code) => [operation.operationId, code === 'default' ? 500 : +code] as const,
    ),
  )
  it.each(answers)('%s %i is valid by the contract', async (operationId, code) => {
    const mocked = await mocker.mock(operationId, { code })
    expect(mocked.status).toBe(code)
    expect(verdict(judge, operationId, mocked)).toEqual([])
    for (let seed = 0; seed < 20; seed++) {
      const generated = await mocker.mock(operationId, { code, dynamic: true, seed })
      expect(verdict(judge, operationId, generated)).toEqual([])
    }
  })
})

describe('an example', () => {
  it('is the first one, unless another is requested', async () => {
    expect(mocker.mock('listPets').body).toMatchObject([{ name: 'Rex' }, { name: 'Nemo' }])
    expect(mocker.mock('listPets', { example: 'none' }).body).toEqual([])
    const missing = await mocker.mock('listPets', { code: 401, example: 'missing_api_key' })
    expect(missing.body).toMatchObject({ code: 'missing_api_key' })
  })

  it('must exist', () => {
    const mockUnknown = () => mocker.mock('listPets', { example: 'nope' })
    expect(mockUnknown).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        message: 'listPets 200 has no example nope; it has: animals, none.',
      }),
    )
  })
})

describe('a status', () => {
  it('must be declared; default is used for errors only', async () => {
    expect(mocker.mock('createPet').status).toBe(201)
    expect(mocker.mock('createPet', { code: 418 }).status).toBe(418)
    expect(() => mocker.mock('createPet', { code: 200 })).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        message: 'createPet declares no 200; it declares: 201, 400, 401, 429, default.',
      }),
    )
  })
})

it('adds only declared header fields', async () => {
  const { headers } = await mocker.mock('getPet')
  expect(headers.Deprecation).toBe('@1764892800')
  expect(headers).not.toHaveProperty('deprecation')
  expect(mocker.mock('createPet').headers).not.toHaveProperty('Location')
})

it('is made for a response with a required header field that is a list', async () => {
  const document = documentOf({ type: 'string' })
  const list = { required: true, schema: { type: 'array', items: { type: 'integer' } } }
  Object.assign(document.paths['/things']?.get?.responses['200'] ?? {}, { headers: { 'X-Ids': list } })
  const things = await createMocker(document)
  expect(things.mock('listThings')).toMatchObject({ status: 200, body: 'string' })
})

it('generates only declared members', async () => {
  expect(mocker.mock('listOrders').body).toEqual([{}])
  const { body } = await mocker.mock('listOrders', { dynamic: true, seed: 3 })
  expect((body as object[]).every((order) => Object.keys(order).length === 0)).toBe(true)
})

describe('generated values', () => {
  const everything = documentOf({
    type: 'object',
    required: ['pattern', 'letters', 'tens', 'name', 'when', 'id'],
    properties: {
      pattern: { type: 'string', pattern: '^[a-z]{3}-\\d{4}$' },
      letters: { type: 'string', pattern: '^\\p{L}{3}$' },
      tens: { type: 'number', multipleOf: 10 },
      name: { type: 'string', faker: 'person.fullName' },
      when: { type: 'string', faker: 'date.recent' },
      id: { type: 'integer', format: 'int64' },
    },
  })

  it('depend only on the seed', async () => {
    const things = await createMocker(everything)
    const once = await things.mock('listThings', { dynamic: true, seed: 7 })
    await things.mock('listThings', { dynamic: true, seed: 8 })
    await mocker.mock('listPets', { dynamic: true })
    const again = await (await createMocker(everything)).mock('listThings', { dynamic: true, seed: 7 })
    expect(again).toEqual(once)
    expect(await things.mock('listThings', { dynamic: true, seed: 8 })).not.toEqual(once)
  })

  const string = { type: 'string' }
  const member = { type: 'object', properties: { a: string }, required: ['a'] }
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const node = { type: 'object', properties: { next: ref('Node'), id: {} }, required: ['id'] }
  const ways = { a: ref('Fork'), b: ref('Fork'), c: ref('Fork') }
  const fork = { type: 'object', properties: { ...ways, id: {} }, required: ['id'] }
  it.each([
    ['prefixItems', { type: 'array', prefixItems: [string, { type: 'integer' }], minItems: 2 }],
    ['contains', { type: 'array', contains: { const: 7 } }],
    ['dependentRequired', { ...member, dependentRequired: { a: ['b'] } }],
    ['dependentSchemas', { ...member, dependentSchemas: { a: { required: ['c'] } } }],
    ['if', { ...member, if: { required: ['z'] }, else: { required: ['d'] } }],
    ['not', { ...string, not: { enum: ['x'] } }],
    ['exclusiveMinimum', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }],
    ['a high minimum', { type: 'number', minimum: 1e12 }],
    ['maxProperties', { type: 'object', additionalProperties: string, minProperties: 3, maxProperties: 3 }],
    ['writeOnly', { type: 'object', properties: { a: { ...string, writeOnly: true } }, required: ['a'] }],
    ['the format byte', { ...string, format: 'byte' }],
    ['a recursive reference', ref('Node')],
    ['several recursive references', ref('Fork')],
  ])('are valid by a schema with %s', async (_, schema) => {
    const document = documentOf(schema, { schemas: { Node: node, Fork: fork } })
    const [things, judge] = await Promise.all([createMocker(document), createContractValidator(document)])
    for (let seed = 0; seed < 20; seed++)
      expect(verdict(judge, 'listThings', things.mock('listThings', { dynamic: true, seed }))).toEqual([])
  })

  it('replace a sample that is invalid by the schema', async () => {
    const things = await createMocker(everything)
    const { body } = await things.mock('listThings')
    expect(body).toMatchObject({
      pattern: expect.stringMatching(/^[a-z]{3}-\d{4}$/),
      letters: expect.stringMatching(/^\p{L}{3}$/u),
    })
  })

  it('are small integers', async () => {
    const things = await createMocker(everything)
    for (let seed = 0; seed < 50; seed++) {
      const { body } = await things.mock('listThings', { dynamic: true, seed })
      const { id } = body as { id: number }
      expect(Number.isInteger(id) && id >= 1 && id <= 1_000_001).toBe(true)
    }
  })
})
