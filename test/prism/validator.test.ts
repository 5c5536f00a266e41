import { beforeAll, describe, expect, it } from 'vitest'
import type { SchemaObject } from '../../src/contract/openapi/document.ts'
import type { ValidatedRequest } from '../../src/prism/validator.ts'
import { type ContractValidator, createContractValidator } from '../../src/prism/validator.ts'
import { animalStore, documentOf } from './document.ts'

const LIMITS = ['X-RateLimit-Limit', '60', 'X-RateLimit-Remaining', '0', 'X-RateLimit-Reset', '1795091720']
const JSON_TYPE = ['Content-Type', 'application/json']
const ok = (body: string) => ({ status: 200, headers: [...JSON_TYPE, ...LIMITS], body })
const pairs = (flat: readonly string[]) =>
  flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1] as string] as const] : []))
const pet = (fields: string) => ok(`[{"id":1,"name":"Rex","categoryId":1${fields && `,${fields}`}}]`)
const request = (changes: Partial<ValidatedRequest>): ValidatedRequest => ({
  method: 'GET',
  path: '/pets',
  query: '',
  headers: ['authorization', 'bearer  psk_free'],
  body: '',
  ...changes,
})
const post = (body: string, headers: string[] = JSON_TYPE) =>
  request({ method: 'POST', body, headers: ['Authorization', 'Bearer psk_free', ...headers] })

let judge: ContractValidator
beforeAll(async () => {
  judge = await createContractValidator(animalStore())
})

describe('a response', () => {
  it.each([
    ['a list', 'listPets', pet('"status":"sold"')],
    ['an empty list', 'listPets', ok('[]')],
    ['fields that are not declared', 'listPets', pet('"colour":"red"')],
    [
      'the largest int64',
      'listPets',
      ok('[{"id":9223372036854775807,"name":"","categoryId":9007199254740993}]'),
    ],
    ['the smallest int64', 'listPets', ok('[{"id":-9223372036854775808,"name":"","categoryId":0}]')],
    [
      'a charset',
      'listPets',
      { ...ok('[]'), headers: [...LIMITS, 'content-type', 'Application/JSON; charset=utf-8'] },
    ],
    [
      'a charset by another name',
      'listPets',
      { ...ok('[]'), headers: [...LIMITS, 'content-type', 'application/json; charset="UTF8"'] },
    ],
    ['HEAD', { method: 'HEAD', path: '/pets' }, ok('')],
    ['an undeclared error', 'listPets', { ...ok('{"code":"x","message":"y","status":503}'), status: 503 }],
    [
      'a path that nobody knows',
      { method: 'GET', path: '/nope' },
      { status: 404, headers: [], body: '<html>' },
    ],
  ])('is valid: %s', (_, of, response) => {
    expect(judge.validateResponse(of, response)).toEqual([])
  })

  it.each([
    ['a wrong type', ok('[{"id":1,"name":7,"categoryId":1}]'), '0.name', /must be string/],
    ['a wrong value', pet('"status":"Sold"'), '0.status', /available, pending, sold/],
    ['a missing member', ok('[{"id":1,"name":"Rex"}]'), '0', /categoryId/],
    ['an envelope', ok('{"data":[]}'), undefined, /must be array/],
    ['an id as text', ok('[{"id":"1","name":"","categoryId":1}]'), '0.id', /must be integer/],
    ['an id of 2^63', ok('[{"id":9223372036854775808,"name":"","categoryId":1}]'), '0.id', /int64/],
    ['an id below -2^63', ok('[{"id":-9223372036854775809,"name":"","categoryId":1}]'), '0.id', /int64/],
    ['a fraction', ok('[{"id":1.5,"name":"","categoryId":1}]'), '0.id', /must be integer/],
    ['a cut body', ok('[{"id":1,'), undefined, /not JSON/],
    ['no body', ok(''), undefined, /empty/],
    ['an error of another shape', { ...ok('{"error":"no"}'), status: 500 }, undefined, /code/],
  ])('has a bad body: %s', (_, response, path, message) => {
    const [found] = judge.validateResponse('listPets', response)
    expect(found).toMatchObject({ where: 'body', message: expect.stringMatching(message) })
    expect(found?.path).toBe(path)
  })

  it.each([
    ['HTML', 'Content-Type', 'text/html', /is text\/html; declared: application\/json/],
    ['problem+json', 'Content-Type', 'application/problem+json', /declared: application\/json/],
    ['no media type', 'Content-Type', undefined, /is missing/],
    ['a media type that is none', 'Content-Type', ';;', /is ;;/],
    ['a missing field', 'X-RateLimit-Limit', undefined, /X-RateLimit-Limit is missing/],
    ['no integer', 'X-RateLimit-Limit', '6e1', /X-RateLimit-Limit must be integer/],
    ['nothing in it', 'X-RateLimit-Limit', '', /must be integer/],
    ['a repeated field', 'X-RateLimit-Limit', '60, 60', /must be integer/],
    ['less than nothing left', 'X-RateLimit-Remaining', '-1', /must be >= 0/],
  ])('has a bad header: %s', (_, name, value, message) => {
    const { [name]: __, ...others } = Object.fromEntries(pairs(ok('').headers))
    const headers = Object.entries({ ...others, ...(value !== undefined && { [name]: value }) }).flat()
    const found = judge.validateResponse('listPets', { ...ok('[]'), headers })
    expect(found).toMatchObject([{ where: 'header', path: name, message: expect.stringMatching(message) }])
  })

  it('joins the values of a repeated header field', () => {
    const headers = [...ok('').headers, 'x-ratelimit-limit', '60']
    expect(judge.validateResponse('listPets', { ...ok('[]'), headers })).toMatchObject([
      { path: 'X-RateLimit-Limit' },
    ])
  })

  it('lists every violation', () => {
    const found = judge.validateResponse('listPets', { status: 429, headers: JSON_TYPE, body: '{"code":1}' })
    expect(found.map(({ where, path }) => path ?? where)).toEqual([
      'body', // message is missing
      'body', // status is missing
      'code',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'Retry-After',
    ])
  })

  it('of a deprecated operation may lack its header fields, which the interface does not name', () => {
    const pet = ok('{"id":1,"name":"Rex","categoryId":1}')
    const of = { method: 'GET', path: '/pets/1' }
    expect(judge.validateResponse(of, pet)).toEqual([])
    const wrong = { ...pet, headers: [...pet.headers, 'Deprecation', 'true'] }
    expect(judge.validateResponse(of, wrong).map(({ path }) => path)).toEqual(['Deprecation'])
  })

  it.each([201, 204, 304])('must not have the status %d, since default is for errors only', (status) => {
    expect(judge.validateResponse('listPets', { ...ok('[]'), status })).toMatchObject([{ where: 'status' }])
  })

  it('must have a declared status if there is no default', async () => {
    const strict = await createContractValidator(documentOf({ type: 'array' }))
    expect(strict.validateResponse('listThings', ok('[]'))).toEqual([])
    expect(strict.validateResponse('listThings', { ...ok('[]'), status: 201 })).toEqual([
      { where: 'status', message: 'Response status 201 is not declared; declared: 200' },
    ])
  })
})

describe('a request', () => {
  it.each([
    ['no parameter', request({})],
    ['HEAD', request({ method: 'HEAD' })],
    ['an encoded path', request({ path: '/pets/%31' })],
    ['the largest id', request({ path: '/pets/9223372036854775807' })],
    ['a new pet', post('{"name":"Kit","categoryId":9223372036854775807,"status":"pending"}')],
    ['an integer with a zero fraction', post('{"name":"Kit","categoryId":2.0}')],
    ['OPTIONS', request({ method: 'OPTIONS', path: '/nope', headers: [] })],
  ])('is valid: %s', (_, sent) => {
    expect(judge.validateRequest(sent)).toEqual([])
  })

  const broken: [string, ValidatedRequest, string, string?][] = [
    ['an id that is none', request({ path: '/pets/007' }), 'path', 'petId'],
    ['an id of 2^63', request({ path: '/pets/9223372036854775808' }), 'path', 'petId'],
    ['a bad encoding', request({ path: '/pets/%zz' }), 'path'],
    ['an unknown path', request({ path: '/nope' }), 'path'],
    ['an unknown method', request({ method: 'DELETE' }), 'path'],
    ['no key', request({ headers: [] }), 'header', 'Authorization'],
    ['another scheme', request({ headers: ['Authorization', 'Basic eA=='] }), 'header', 'Authorization'],
    ['no body', post(''), 'body'],
    ['a body that is not JSON', post('{"name":'), 'body'],
    ['a name given twice', post('{"name":"a","name":"b","categoryId":1}'), 'body'],
    ['a body that is null', post('null'), 'body'],
    ['a missing member', post('{"name":"Kit"}'), 'body'],
    [
      'a category beyond int64',
      post('{"name":"Kit","categoryId":9223372036854775808}'),
      'body',
      'categoryId',
    ],
    [
      'a charset by a name that the sandbox refuses',
      post('{"name":"Kit","categoryId":2}', ['Content-Type', 'application/json; charset=utf8']),
      'header',
      'Content-Type',
    ],
    [
      'a form',
      post('name=Kit', ['Content-Type', 'application/x-www-form-urlencoded']),
      'header',
      'Content-Type',
    ],
  ]
  it.each(broken)('is invalid: %s', (_, sent, where, path) => {
    const found = judge.validateRequest(sent)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject({ where, ...(path && { path }) })
  })
})

describe('a validator', () => {
  it('supports a recursive schema', async () => {
    const tree = {
      type: 'object',
      required: ['id'],
      properties: { id: INT64, kids: { type: 'array', items: TREE } },
    }
    const trees = await createContractValidator(documentOf(TREE, { schemas: { Tree: tree } }))
    expect(trees.validateResponse('listThings', ok('{"id":1,"kids":[{"id":9223372036854775807}]}'))).toEqual(
      [],
    )
    const found = trees.validateResponse('listThings', ok('{"id":1,"kids":[{"id":9223372036854775808}]}'))
    expect(found).toMatchObject([{ path: 'kids.0.id' }])
  })

  it('refuses a schema that does not compile', async () => {
    await expect(createContractValidator(documentOf({ type: 'string', pattern: '(' }))).rejects.toThrow(
      /listThings is invalid/,
    )
  })

  it('refuses a reference to another document', async () => {
    const outside = { $ref: 'http://localhost:9/schema.json' }
    await expect(createContractValidator(documentOf(outside))).rejects.toThrow(/localhost:9/)
  })

  it('does not change the document', async () => {
    const document = animalStore()
    await createContractValidator(document)
    expect(document).toEqual(animalStore())
  })

  it('refuses an unknown operation', () => {
    expect(() => judge.validateResponse('nope', ok('[]'))).toThrow(/listPets, createPet, getPet/)
  })
})

it.each([
  ['19.99', 0],
  ['0.29', 0],
  ['4.35', 0],
  ['19.999', 1],
  ['0.011', 1],
])('%s as a multiple of 0.01 has %i violations, as in the sandbox', async (price, count) => {
  const document = documentOf({ type: 'number', multipleOf: 0.01 })
  const { validateResponse } = await createContractValidator(document)
  const found = validateResponse('listThings', ok(price))
  expect(found.map(({ message }) => message)).toHaveLength(count)
})

const INT64 = { type: 'integer', format: 'int64' }
const TREE = { $ref: '#/components/schemas/Tree' }

describe('each violation is named once', () => {
  const cat = { required: ['lives'], properties: { kind: { const: 'cat' }, lives: { type: 'integer' } } }
  const dog = { required: ['tricks'], properties: { kind: { const: 'dog' }, tricks: { type: 'string' } } }
  const int64 = { type: 'integer', format: 'int64' }
  it.each<[string, SchemaObject, unknown, RegExp]>([
    [
      'in the alternative that is meant',
      { oneOf: [cat, dog] },
      { kind: 'dog' },
      / required property 'tricks'$/,
    ],
    [
      'where a value fits no alternative',
      { anyOf: [{ type: 'string', enum: ['s', 'm'] }, int64] },
      'l',
      / member must be one of s, m, or an integer \(int64\)$/,
    ],
    [
      'for null in place of a status',
      { type: 'string', enum: ['available', 'sold'] },
      null,
      / member must be equal to one of the allowed values: available, sold$/,
    ],
    ['for a constant', { const: 'cat' }, 'dog', / member must be "cat"$/],
    ['for two equal parts', { allOf: [{ type: 'string' }, { type: 'string' }] }, 1, / must be string$/],
  ])('%s', async (_, member, value, expected) => {
    const judgeOf = await createContractValidator(documentOf({ type: 'object', properties: { member } }))
    const found = judgeOf.validateResponse('listThings', ok(JSON.stringify({ member: value })))
    expect(found.map(({ message }) => message)).toEqual([expect.stringMatching(expected)])
  })
})
