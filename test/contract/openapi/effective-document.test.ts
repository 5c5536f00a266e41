import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { animalStoreContract } from '../../../src/contract/animal-store.ts'
import type { DecisionName } from '../../../src/contract/decisions/decision.ts'
import { DECISIONS } from '../../../src/contract/decisions/decisions.ts'
import type { OpenApiDocument } from '../../../src/contract/openapi/document.ts'
import { operationsOf } from '../../../src/contract/openapi/document.ts'
import { effectiveDocument, effectiveDocuments } from '../../../src/contract/openapi/effective-document.ts'
import { overlaidContract } from '../../../src/contract/openapi/overlay.ts'
import { policyWith } from '../../world/policy.ts'

const contract = animalStoreContract()
const AT = { removed: false, baseUrl: 'http://localhost:4010/v1' }

const effective = (decisions: Record<string, unknown> = {}, at = AT, document = contract.document) =>
  effectiveDocument(document, policyWith(decisions), at)
const operation = (document: OpenApiDocument, id: string) =>
  [...operationsOf(document)].find((each) => each.operation.operationId === id)?.operation
const ids = (document: OpenApiDocument) =>
  [...operationsOf(document)].map((each) => each.operation.operationId)

it('describes the plans even if an overlay removed the description', () => {
  const { description: _, ...info } = contract.document.info
  const { description } = effective({}, AT, { ...contract.document, info }).info
  expect(description).toMatch(/^\| Plan \|/)
})

it('with bans of 403, each of the two responses has its own example, and an overlay keeps its 403', () => {
  const { responses } = effective({ 'ban.status': 403 }).components ?? {}
  const examplesOf = (name: string) => responses?.[name]?.content?.['application/json']?.examples
  expect(examplesOf('Banned')).toEqual({
    api_key_banned: { value: expect.objectContaining({ code: 'api_key_banned', status: 403 }) },
  })
  expect(Object.keys(examplesOf('TooManyRequests') ?? {})).toEqual(['rate_limit_exceeded'])
  const own = structuredClone(contract.document)
  const forbidden = { description: 'Not for you.' }
  const getPet = operation(own, 'getPet')
  if (getPet) getPet.responses['403'] = forbidden
  expect(operation(effective({ 'ban.status': 403 }, AT, own), 'getPet')?.responses['403']).toEqual(forbidden)
})

it('does not change the contract', () => {
  const before = JSON.stringify(contract.document)
  const all = {
    unknown: 'reject',
    'ban.status': 403,
    'list.limit': 'clamp',
    'create.blankName': 'reject',
    'errors.codes': 'pet_not_found:gone',
  }
  effective(all, { ...AT, removed: true })
  expect(JSON.stringify(contract.document)).toBe(before)
})

it('has no unused component, and no reference without a target', () => {
  for (const decisions of [{}, { orders: 'mock' }, { 'ban.status': 403 }, { 'get.invalidId': '400' }]) {
    for (const removed of [false, true]) {
      const document = effective(decisions, { ...AT, removed })
      const references = new Set(JSON.stringify(document).match(/#\/components\/[A-Za-z]+\/[\w-]+/g))
      const present = Object.entries(document.components ?? {}).flatMap(([kind, named = {}]) =>
        kind === 'securitySchemes' ? [] : Object.keys(named).map((name) => `#/components/${kind}/${name}`),
      )
      expect([...references].toSorted()).toEqual(present.toSorted())
    }
  }
})

it('has the available operations: orders if they are mocked, getPet until it is removed', () => {
  expect(ids(effective())).toEqual(['listPets', 'createPet', 'getPet'])
  expect(ids(effective({ orders: 'mock' }))).toContain('listOrders')
  expect(ids(effective({ orders: '404' }, { ...AT, removed: true }))).toEqual(['listPets', 'createPet'])
})

it('describes the responses that the decisions make possible', () => {
  const responses = (decisions: Record<string, unknown>, id = 'getPet') =>
    Object.keys(operation(effective(decisions), id)?.responses ?? {})
  expect(responses({})).not.toContain('400')
  expect(responses({ 'get.invalidId': '400' })).toContain('400')
  expect(responses({})).not.toContain('403')
  expect(responses({ 'ban.status': 403 }, 'listPets')).toContain('403')
})

it('forbids and allows inputs as decided', () => {
  const strict = effective({ unknown: 'reject', 'create.blankName': 'reject', 'create.status': 'pending' })
  expect(strict.components?.schemas?.NewPet).toMatchObject({
    additionalProperties: false,
    properties: { name: { pattern: '\\S' }, status: { default: 'pending' } },
  })
  const parameters = (decisions: Record<string, unknown>) =>
    operation(effective(decisions), 'listPets')?.parameters
  expect(parameters({})).toMatchObject([
    { name: 'limit', schema: { minimum: 1, maximum: 100 } },
    { name: 'status' },
  ])
  expect(parameters({ 'list.limit': 'clamp', 'list.status': 'empty' })).toMatchObject([
    { name: 'limit', schema: { type: 'integer', default: 20 } },
    { name: 'status', schema: { type: 'string' } },
  ])
})

it('has the codes and plans of the decisions', () => {
  const text = JSON.stringify(
    effective({ 'errors.codes': 'pet_not_found:no_such_pet', 'plans.free': '5/unlimited' }),
  )
  expect(text).toContain('"code":"no_such_pet"')
  expect(text).not.toContain('"code":"pet_not_found"')
  expect(text).toContain('| free | 5 | unlimited |')
})

it('says the order, the dates and bans as decided', () => {
  const textOf = (decisions: Record<string, unknown> = {}) => JSON.stringify(effective(decisions))
  const standard = textOf()
  for (const stated of ['in order of creation', 'removed on 2030-12-05.', 'may lead to a temporary ban'])
    expect(standard).toContain(stated)
  expect(standard).not.toMatch(/x-words|\{\w+\.\w+\}/)
  const decided = textOf({
    'list.order': 'newest',
    'get.deprecatedSince': '2028-01-01',
    'get.removedOn': '2029-01-01T12:00:00Z',
    'ban.enabled': false,
  })
  expect(decided).toContain('`limit` animals from the newest to the oldest, of every status')
  expect(decided).toContain('Deprecated, and removed on 2029-01-01T12:00:00.000Z. Use')
  expect(decided).toContain('"example":"@1830297600"')
  expect(decided).toContain('"example":"Mon, 01 Jan 2029 12:00:00 GMT"')
  expect(decided).toContain('back off exponentially.')
  expect(decided).not.toMatch(/in order of creation|2030|@1764892800|a temporary ban/)
  expect(textOf({ 'get.afterRemoval': 'serve' })).toContain('and its removal is announced for 2030-12-05.')
})

it('the comments of the generated types say what the default decisions are', () => {
  const types = new URL('../../../src/contract/generated/animal-store.types.d.ts', import.meta.url)
  const text = readFileSync(types, 'utf8')
  expect(text).toContain('animals in order of creation')
  expect(text).not.toMatch(/\{\w+\.\w+\}/)
})

it('has words for every value of the decisions that its texts name', () => {
  const { 'x-words': words } = contract.document
  expect(words).toEqual(
    Object.fromEntries(
      Object.keys(words as object).map((name) => {
        const values = DECISIONS[name as DecisionName].words
        return [name, Object.fromEntries(values.map((value) => [value, expect.any(String)]))]
      }),
    ),
  )
})

describe('an overlay', () => {
  const overlaid = async (actions: object[]) =>
    (
      await overlaidContract(contract, [
        { name: 'o.yaml', text: JSON.stringify({ overlay: '1.0.0', actions }) },
      ])
    ).document

  it.each([
    ['a text', { value: 'short and stout' }],
    ['null', { value: null }],
    ['elsewhere', { externalValue: 'https://a.example/teapot.json' }],
    ['an object without a code', { value: { code: { a: 1 } } }],
    ['a code that every object has', { value: { code: 'constructor' } }],
  ])('may have an example of an error that is %s', async (_, example) => {
    const teapot = {
      description: 'A teapot.',
      content: { 'application/json': { schema: {}, examples: { teapot: example } } },
    }
    const document = await overlaid([
      { target: '$.components.responses', update: { Teapot: teapot } },
      {
        target: '$.paths["/pets"].get.responses',
        update: { 418: { $ref: '#/components/responses/Teapot' } },
      },
    ])
    const { components } = effective({ 'errors.codes': 'pet_not_found:gone' }, AT, document)
    expect(components?.responses?.Teapot).toEqual(teapot)
  })

  it('may reword what a decision changes', async () => {
    const update = { description: 'Animals, in order.' }
    const document = await overlaid([
      { target: '$.paths["/pets"].get', update },
      { target: '$.paths["/pets/{petId}"].get.description', remove: true },
    ])
    const { paths } = effective({ 'list.order': 'newest' }, AT, document)
    expect(paths['/pets']?.get).toMatchObject(update)
    expect(paths['/pets/{petId}']?.get).not.toHaveProperty('description')
  })

  it('may have servers; this sandbox is put before them', async () => {
    const document = await overlaid([
      { target: '$', update: { servers: [{ url: 'https://b.example', description: 'b' }] } },
    ])
    const { servers } = effective({}, AT, document)
    expect(servers).toEqual([
      { url: AT.baseUrl, description: 'This sandbox' },
      { url: 'https://b.example', description: 'b' },
    ])
    expect(effective({}, AT, { ...document, servers: [] }).servers).toEqual([{ url: AT.baseUrl }])
  })
})

it('is created once for each state and address', () => {
  let baseUrl = 'http://a/v1'
  const documents = effectiveDocuments(contract.document, policyWith(), () => baseUrl)
  const first = documents(false)
  expect(documents(false)).toBe(first)
  expect(documents(true)).not.toBe(first)
  baseUrl = 'http://b/v1'
  expect(documents(false).servers?.[0]?.url).toBe('http://b/v1')
})

it('that of an earlier address is not kept: in a host server, each request may name another one', () => {
  let baseUrl = 'http://a/v1'
  const documents = effectiveDocuments(contract.document, policyWith(), () => baseUrl)
  const first = documents(false)
  baseUrl = 'http://b/v1'
  documents(false)
  baseUrl = 'http://a/v1'
  expect(documents(false)).not.toBe(first)
})

it('refuses blank names beside a pattern that an overlay has', () => {
  const document = structuredClone(contract.document)
  const { NewPet } = document.components?.schemas ?? {}
  Object.assign(NewPet?.properties?.name ?? {}, { pattern: '^[A-Z]' })
  const strict = effective({ 'create.blankName': 'reject' }, AT, document)
  expect(strict.components?.schemas?.NewPet?.properties?.name).toMatchObject({
    allOf: [{ pattern: '^[A-Z]' }, { pattern: '\\S' }],
  })
})
