import fs from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { OpenApiDocument, RequestBodyObject } from '../../src/contract/openapi/document.ts'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/index.ts'
import { asAfterCrash } from '../node/store/folder.ts'
import { temporaryFolder } from '../support/folder.ts'

const OPERATIONS = {
  patch: { operationId: 'updatePet', 'x-sandbox': 'update', responses: { 200: { description: 'Changed.' } } },
  put: {
    operationId: 'replacePet',
    'x-sandbox': 'replace',
    responses: { 200: { description: 'Replaced.' } },
  },
  delete: { operationId: 'deletePet', 'x-sandbox': 'delete', responses: { 204: { description: 'Gone.' } } },
}
const BODY = {
  requestBody: {
    content: {
      'application/json': {
        schema: { type: 'object', properties: { name: { type: 'string', maxLength: 3 } } },
      },
    },
  },
}
const overlayOf = (...actions: object[]) =>
  JSON.stringify({ overlay: '1.0.0', info: { title: 'Changes', version: '1.0.0' }, actions })

let folder: string
const open: Sandbox[] = []
const start = (options: SandboxOptions = {}, operations: object = OPERATIONS): Promise<Sandbox> =>
  startWith([{ target: "$.paths['/pets/{petId}']", update: operations }], options)
const startWith = async (actions: readonly object[], options: SandboxOptions = {}): Promise<Sandbox> => {
  const overlay = join(folder, 'overlay.yaml')
  fs.writeFileSync(overlay, overlayOf(...actions))
  const sandbox = await createSandbox({ listen: false, log: 'silent', overlay, ...options })
  open.push(sandbox)
  return sandbox
}
const call = async (
  sandbox: Sandbox,
  method: string,
  path: string,
  body?: string,
  type = 'application/json',
) => {
  const headers = { authorization: 'Bearer psk_enterprise', 'content-type': type }
  const response = await sandbox.fetch(`/v1${path}`, { method, headers, ...(body && { body }) })
  return { status: response.status, text: await response.text(), headers: response.headers }
}
const ALL_WRONG =
  'name must be a string; categoryId must be an integer (int64); status must be one of available, pending, sold'
const REX = '{"id":1,"name":"Rex","categoryId":1,"status":"available"}'

beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => Promise.all(open.splice(0).map((sandbox) => sandbox.close())))

describe.each([
  ['memory', () => ({})],
  ['a file', () => ({ db: join(folder, 'db.json') })],
] as const)('operations that an overlay declares, in %s', (_, options) => {
  it('update a pet by a merge patch', async () => {
    const sandbox = await start(options())
    const patched = await call(
      sandbox,
      'PATCH',
      '/pets/1',
      '{"categoryId":9007199254740993,"status":null,"colour":"red"}',
    )
    expect(patched).toMatchObject({
      status: 200,
      text: '{"id":1,"name":"Rex","categoryId":9007199254740993}',
    })
    expect((await call(sandbox, 'GET', '/pets/1')).text).toBe(patched.text)
    expect((await call(sandbox, 'GET', '/pets?status=available')).text).not.toContain('"id":1,')
    expect((await sandbox.requests()).find(({ operationId }) => operationId === 'updatePet')).toMatchObject({
      warnings: [expect.stringContaining('colour')],
    })
  })

  it('take the JSON type that they declare', async () => {
    const type = 'application/merge-patch+json'
    const content = { [type]: BODY.requestBody.content['application/json'] }
    const patch = { ...OPERATIONS.patch, requestBody: { content } }
    const sandbox = await start(options(), { patch })
    const send = async (body: string, sent: string) => {
      const { status, text } = await call(sandbox, 'PATCH', '/pets/1', body, sent)
      return [status, text]
    }
    expect(await send('{"name":"Max"}', 'Application/Merge-Patch+JSON')).toEqual([
      200,
      REX.replace('Rex', 'Max'),
    ])
    expect(await send('{"name":"Rex"}', 'application/json')).toEqual([200, REX])
    expect(await send('{"name":"Maxi"}', type)).toEqual([400, expect.stringContaining('at most 3')])
    expect(await send('{}', 'text/plain')).toEqual([415, expect.stringContaining(type)])
  })

  it.each([
    ['PATCH', '/pets/1', '{"name":null}', 400, 'name is required'],
    ['PATCH', '/pets/1', '{"status":"lost"}', 400, 'status must be one of available, pending, sold'],
    ['PATCH', '/pets/1', '[]', 400, 'The body must be a JSON object.'],
    ['PUT', '/pets/1', '{"name":"Kit"}', 400, 'categoryId is required'],
    ['PATCH', '/pets/1', '{"status":"lost","categoryId":"x","name":1}', 400, ALL_WRONG],
    ['PUT', '/pets/1', '{"status":"lost","categoryId":"x","name":1}', 400, ALL_WRONG],
    ['PUT', '/pets/999', '{"name":"Kit"}', 400, 'categoryId is required'],
    ['PUT', '/pets/999', '[]', 400, 'The body must be a JSON object.'],
    ['PATCH', '/pets/999', '[]', 400, 'The body must be a JSON object.'],
    ['PATCH', '/pets/999', '{"name":1}', 404, 'No animal has the identifier 999.'],
    ['PATCH', '/pets/999', '{}', 404, 'No animal has the identifier 999.'],
    ['PUT', '/pets/999', '{"name":"Kit","categoryId":1}', 404, 'No animal has the identifier 999.'],
    ['DELETE', '/pets/007', undefined, 404, 'No animal has the identifier 007.'],
  ])('refuse %s %s %s', async (method, path, body, status, message) => {
    const sandbox = await start(options())
    const refused = await call(sandbox, method, path, body)
    expect([refused.status, JSON.parse(refused.text).message]).toEqual([status, message])
    expect((await call(sandbox, 'GET', '/pets/1')).text).toBe(REX)
  })

  it('replace and delete a pet, and never use an id again', async () => {
    const sandbox = await start(options())
    const replaced = await call(sandbox, 'PUT', '/pets/1', '{"id":7,"categoryId":2,"name":"Kit"}')
    expect(replaced).toMatchObject({ status: 200, text: '{"id":1,"name":"Kit","categoryId":2}' })
    for (const id of [11, 12]) expect((await call(sandbox, 'DELETE', `/pets/${id}`)).status).toBe(204)
    expect((await call(sandbox, 'DELETE', '/pets/12')).status).toBe(404)
    expect((await call(sandbox, 'POST', '/pets', '{"name":"New","categoryId":1}')).text).toContain('"id":13,')
  })
})

it('their changes survive a kill and a restart', async () => {
  const first = await start({ db: join(folder, 'db.json') })
  await call(first, 'PATCH', '/pets/1', '{"name":"Max"}')
  await call(first, 'DELETE', '/pets/12')
  const crashed = await start({ db: join(asAfterCrash(folder), 'db.json') })
  await first.close()
  for (const sandbox of [crashed, await start({ db: join(folder, 'db.json') })]) {
    expect((await call(sandbox, 'GET', '/pets/1')).text).toContain('"name":"Max"')
    expect((await call(sandbox, 'GET', '/pets/12')).status).toBe(404)
    expect((await call(sandbox, 'POST', '/pets', '{"name":"New","categoryId":1}')).text).toContain('"id":13,')
  }
})

it('validate by their own body schema, if they have one', async () => {
  const sandbox = await start({}, { patch: { ...OPERATIONS.patch, ...BODY } })
  expect((await call(sandbox, 'PATCH', '/pets/1', '{"name":"Long"}')).status).toBe(400)
  expect((await call(sandbox, 'PATCH', '/pets/1', '{"name":"Kit","status":"sold"}')).text).toBe(
    '{"id":1,"name":"Kit","categoryId":1,"status":"available"}',
  )
})

it('require no read-only field of their body', async () => {
  const schema = {
    type: 'object',
    required: ['id', 'name'],
    properties: { id: { type: 'integer', readOnly: true }, name: { type: 'string' }, categoryId: {} },
  }
  const put = { ...OPERATIONS.put, requestBody: { content: { 'application/json': { schema } } } }
  const post = { operationId: 'ratePet', requestBody: put.requestBody, responses: put.responses }
  const sandbox = await start({}, { put, post })
  const body = '{"name":"Rex","categoryId":1}'
  expect((await call(sandbox, 'PUT', '/pets/1', body)).status).toBe(200)
  expect((await call(sandbox, 'POST', '/pets/1', body)).status).toBe(200)
  expect((await call(sandbox, 'POST', '/pets/1', '{"name":1}')).text).toContain('"name must be a string"')
})

it('ignore a read-only field of NewPet, as createPet does, and keep its value', async () => {
  const properties = { createdAt: { type: 'string', readOnly: true } }
  const field = { target: "$.components.schemas['Pet','NewPet']", update: { properties } }
  const { patch, put } = OPERATIONS
  const changes = { target: "$.paths['/pets/{petId}']", update: { patch, put } }
  const sandbox = await startWith([field, changes])
  await sandbox.seed({ pets: [{ name: 'Kit', categoryId: 2, createdAt: 'before' }] } as never)
  const sent = '{"name":"Max","categoryId":2,"createdAt":"now"}'
  const changed = '{"id":1,"name":"Max","categoryId":2,"createdAt":"before"}'
  for (const method of ['PUT', 'PATCH'])
    expect((await call(sandbox, method, '/pets/1', sent)).text).toBe(changed)
  expect((await call(sandbox, 'POST', '/pets', sent)).text).toBe('{"id":2,"name":"Max","categoryId":2}')
  expect((await sandbox.report()).ignoredInputs.count).toBe(3)
})

it.each(['PUT', 'PATCH'])('%s is refused with all validation errors, in field order', async (method) => {
  const own = {
    requestBody: {
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              name: { type: 'string' },
              note: { type: 'string' },
              categoryId: { maximum: 9, type: 'integer' },
            },
          },
        },
      },
    },
  }
  const operations = { put: { ...OPERATIONS.put, ...own }, patch: { ...OPERATIONS.patch, ...own } }
  const sandbox = await start({ decisions: { unknown: 'reject', 'create.blankName': 'reject' } }, operations)
  const body = '{"id":7,"note":1,"categoryId":10,"name":" ","status":"sold"}'
  const { status, text } = await call(sandbox, method, '/pets/1', body)
  expect([status, JSON.parse(text).message]).toEqual([
    400,
    'name must not be blank; categoryId must be an integer of at most 9; note must be a string; id is not a field of this body; status is not a field of this body',
  ])
})

it.each([
  ['PUT', '/pets/1?page=2', '{"name":"Kit","colour":"red"}', 400],
  ['PATCH', '/pets/1?page=2', '{"name":null,"colour":"red"}', 400],
  ['POST', '/pets?page=2', '{"name":"Kit","colour":"red"}', 400],
  ['PUT', '/pets/1?page=2', '{"name":"Kit","categoryId":1,"colour":"red"}', 200],
  ['PATCH', '/pets/1?page=2', '{"colour":"red"}', 200],
])(
  '%s %s %s, answered with %i, has ignored inputs only if it was accepted',
  async (method, path, body, status) => {
    const sandbox = await start()
    expect((await call(sandbox, method, path, body)).status).toBe(status)
    expect((await sandbox.report()).ignoredInputs.count).toBe(status === 200 ? 2 : 0)
  },
)

it('stay when getPet is removed; Allow then lists only them', async () => {
  const sandbox = await start()
  const preflight = await call(sandbox, 'OPTIONS', '/pets/1')
  expect(preflight.headers.get('allow')).toBe('GET, HEAD, PUT, PATCH, DELETE, OPTIONS')
  await sandbox.clock.set('2030-12-06T00:00:00Z')
  expect((await call(sandbox, 'GET', '/pets/1')).status).toBe(410)
  expect((await call(sandbox, 'PATCH', '/pets/1', '{"name":"Max"}')).status).toBe(200)
  const refused = await call(sandbox, 'POST', '/pets/1', '{}')
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'PUT, PATCH, DELETE, OPTIONS'])
  expect((await call(sandbox, 'OPTIONS', '/pets/1')).headers.get('allow')).toBe('PUT, PATCH, DELETE, OPTIONS')
  const response = await sandbox.fetch('/openapi.json')
  const { paths } = (await response.json()) as { paths: Record<string, object> }
  expect(Object.keys(paths['/pets/{petId}'] ?? {})).toEqual(['patch', 'put', 'delete'])
})

it('are completed in the served document', async () => {
  const sandbox = await start({ decisions: { 'create.status': 'sold', unknown: 'reject' } })
  const { paths } = (await (await sandbox.fetch('/openapi.json')).json()) as OpenApiDocument
  const { get, patch, put, delete: remove } = paths['/pets/{petId}'] ?? {}
  for (const operation of [patch, put, remove]) {
    expect(operation?.parameters).toEqual(get?.parameters)
    expect(Object.keys(operation?.responses ?? {})).toEqual(
      expect.arrayContaining(['401', '404', '429', 'default']),
    )
  }
  const schemaOf = (operation: unknown) =>
    (operation as { requestBody: RequestBodyObject }).requestBody.content['application/json']?.schema
  expect(schemaOf(patch)).toMatchObject({
    properties: { name: { type: 'string' }, status: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
    additionalProperties: false,
  })
  expect(schemaOf(patch)).not.toHaveProperty('required')
  expect(schemaOf(put)).toMatchObject({ required: ['name', 'categoryId'], additionalProperties: false })
  expect(JSON.stringify(schemaOf(put))).not.toContain('default')
  expect(remove).not.toHaveProperty('requestBody')
  expect(patch?.responses[200]).toMatchObject({ description: 'Changed.' })
})

it.each([
  ['PATCH', 200],
  ['PUT', 200],
  ['DELETE', 204],
])('the answer of %s can be forced by Prefer', async (method, status) => {
  const sandbox = await start()
  const headers = { authorization: 'Bearer psk_pro', prefer: `code=${status}` }
  const response = await sandbox.fetch('/v1/pets/1', { method, headers })
  expect(response.status).toBe(status)
  const text = await response.text()
  if (status === 204) expect(text).toBe('')
  else expect(JSON.parse(text)).toMatchObject({ id: expect.any(Number), name: expect.any(String) })
  expect((await call(sandbox, 'GET', '/pets/1')).text).toBe(REX)
})

it('a head that an overlay declares answers HEAD instead of get', async () => {
  const head = { operationId: 'lookAtPet', responses: { 204: { description: 'It is there.' } } }
  const sandbox = await start({}, { head })
  expect((await call(sandbox, 'HEAD', '/pets/1')).status).toBe(204)
  expect((await call(sandbox, 'GET', '/pets/1')).text).toBe(REX)
  expect((await call(sandbox, 'OPTIONS', '/pets/1')).headers.get('allow')).toBe('GET, HEAD, OPTIONS')
  expect((await sandbox.report()).coverage).toMatchObject({ lookAtPet: { 204: 1 } })
})

it('an answer without a body has Content-Length 0', async () => {
  const sandbox = await start(
    {},
    { post: { operationId: 'pat', responses: { 202: { description: 'Later.' } } } },
  )
  const { status, headers } = await call(sandbox, 'POST', '/pets/1')
  expect([status, headers.get('content-length')]).toEqual([202, '0'])
})

it('are charged, and are subject to faults', async () => {
  const sandbox = await start()
  await sandbox.faults.add({ match: { operationId: 'deletePet' }, effect: { status: 503 }, when: 'after' })
  expect((await call(sandbox, 'DELETE', '/pets/1')).status).toBe(503)
  expect((await call(sandbox, 'GET', '/pets/1')).status).toBe(404)
  expect((await sandbox.report()).coverage).toMatchObject({ deletePet: { 503: 1 } })
  expect((await sandbox.report()).uncovered).toContain('updatePet')
})

it.each([
  [{ patch: { ...OPERATIONS.patch, 'x-sandbox': 'chnage' } }, 'use update, replace, delete'],
  [{ get: { 'x-sandbox': 'update' } }, 'not to GET'],
])('are refused if the overlay is invalid: %j', async (operations, reason) => {
  await expect(start({}, operations)).rejects.toThrow(reason)
})

it('an operation without state refuses a body that is not JSON before its parameters', async () => {
  const post = { operationId: 'ratePet', ...BODY, responses: { 204: { description: 'Rated.' } } }
  const sandbox = await start({ strict: true }, { post })
  expect((await call(sandbox, 'POST', '/pets/1?z=1', '{')).text).toContain('"code":"invalid_json"')
  expect((await call(sandbox, 'POST', '/pets/1?z=1', '{', 'Application/JSON')).text).toContain(
    '"code":"invalid_json"',
  )
  expect((await call(sandbox, 'POST', '/pets/1?z=1', '{}')).text).toContain('"code":"invalid_parameter"')
  expect((await call(sandbox, 'POST', '/pets/1', '{"name":"long"}')).text).toContain('"code":"invalid_body"')
  expect(await call(sandbox, 'POST', '/pets/1', '{}')).toMatchObject({ status: 204 })
})

it('an operation without state takes lines of JSON as text', async () => {
  const requestBody = { content: { 'application/jsonl': { schema: { type: 'string' } } } }
  const post = { operationId: 'ratePets', requestBody, responses: { 204: { description: 'Rated.' } } }
  const sandbox = await start({}, { post })
  expect(await call(sandbox, 'POST', '/pets/1', '{}\n{}', 'application/jsonl')).toMatchObject({ status: 204 })
})

const ERRORS = { $ref: '#/components/responses/NotFound' }
const schemaBody = (schema: object) => ({ requestBody: { content: { 'application/json': { schema } } } })

describe('an operation without state', () => {
  const answers = { 200: { description: 'Rated.' } }
  const note = { type: 'object', properties: { note: { type: 'string' } } }

  it('ignores unknown fields of its body and says so, or refuses them', async () => {
    const post = { operationId: 'ratePet', ...schemaBody(note), responses: answers }
    const ignoring = await start({}, { post })
    expect((await call(ignoring, 'POST', '/pets/1', '{"note":"x","colour":"red"}')).status).toBe(200)
    expect((await ignoring.requests())[0]?.warnings).toEqual([expect.stringContaining('colour')])
    const refusing = await start({ strict: true }, { post })
    expect(await call(refusing, 'POST', '/pets/1', '{"note":"x","colour":"red"}')).toMatchObject({
      status: 400,
      text: expect.stringContaining('colour is not a field of ratePet'),
    })
  })

  it('words the errors of its query and its body as an operation with state does', async () => {
    const limit = { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 5000 } }
    const mixed = {
      name: 'mixed',
      in: 'query',
      schema: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] },
    }
    const body = schemaBody({ ...note, required: ['stars'], additionalProperties: true })
    const post = { operationId: 'ratePet', parameters: [limit, mixed], ...body, responses: answers }
    const sandbox = await start({}, { post })
    const errorOf = async (search: string, sent: string) =>
      JSON.parse((await call(sandbox, 'POST', `/pets/1?${search}`, sent)).text)
    expect(await errorOf('limit=6000&mixed=1', '{"stars":1}')).toEqual({
      code: 'invalid_parameter',
      message: 'limit must be an integer of at most 5,000',
      status: 400,
    })
    expect(await errorOf('limit=5000&mixed=1', '{"note":1}')).toEqual({
      code: 'invalid_body',
      message: 'stars is required; note must be a string',
      status: 400,
    })
  })

  it('refuses a body that it cannot read before wrong parameters', async () => {
    const { requestBody } = schemaBody(note)
    const post = {
      operationId: 'ratePet',
      requestBody: { ...requestBody, required: true },
      responses: answers,
    }
    const sandbox = await start({ strict: true }, { post })
    const send = async (type: string, body: string) => {
      const headers = { authorization: 'Bearer psk_pro', 'content-type': type }
      return (await sandbox.fetch('/v1/pets/1?page=2', { method: 'POST', headers, body })).json()
    }
    expect((await send('application/json', '')).message).toBe('the request needs a body')
    expect((await send('application/xml', '<a/>')).status).toBe(415)
    expect((await send('application/json', ' '.repeat(102_401))).status).toBe(413)
    expect((await send('application/json', '{}')).message).toBe('page is not a parameter of ratePet')
  })

  it.each([
    { ...note, additionalProperties: { type: 'string' } },
    { type: 'object' },
    { ...note, anyOf: [{ properties: { colour: {} } }] },
    { allOf: [note, { type: 'object', patternProperties: { '^c': {} } }] },
  ])('knows every field where its schema is %j', async (schema) => {
    const post = { operationId: 'ratePet', ...schemaBody(schema), responses: answers }
    const sandbox = await start({ strict: true }, { post })
    expect((await call(sandbox, 'POST', '/pets/1', '{"note":"x","colour":"red"}')).status).toBe(200)
  })

  it('ignores a body that it does not declare, and reads one like an operation with state', async () => {
    const headers = { authorization: 'Bearer psk_pro', 'content-type': 'application/json' }
    const post = { operationId: 'ratePet', ...schemaBody(note), responses: answers }
    const sandbox = await start({}, { post, delete: { operationId: 'unratePet', responses: answers } })
    const send = async (method: string, more: object, body: string) =>
      (await sandbox.fetch('/v1/pets/1', { method, headers: { ...headers, ...more }, body })).status
    expect(await send('DELETE', {}, '{"a":1}')).toBe(200)
    expect(await send('POST', { 'content-type': 'application/json; charset=latin1' }, '{}')).toBe(415)
    expect(await send('POST', { 'content-encoding': 'gzip' }, '{}')).toBe(415)
    expect(await send('POST', {}, '\uFEFF{"note":"x"}')).toBe(200)
  })

  it('reads a form with a boundary', async () => {
    const content = { 'multipart/form-data': { schema: note } }
    const post = { operationId: 'ratePet', requestBody: { required: true, content }, responses: answers }
    const sandbox = await start({}, { post })
    const body = new FormData()
    body.set('note', 'hello')
    const headers = { authorization: 'Bearer psk_pro' }
    expect((await sandbox.fetch('/v1/pets/1', { method: 'POST', headers, body })).status).toBe(200)
  })

  it.each(['GET', 'POST'])(
    'has the parameters of its path, with the types of their schemas: %s',
    async (method) => {
      const query = (name: string, schema: object, more = {}) => ({ name, in: 'query', schema, ...more })
      const parameters = [
        query('fast', { type: 'boolean' }),
        query('weight', { type: 'number' }),
        query('tag', { type: 'array', items: { type: 'string', maxLength: 3 } }),
        query('ids', { type: 'array', items: { type: 'integer' } }, { explode: false }),
        query('of', { type: 'integer', format: 'int64', exclusiveMaximum: 5 }),
        query('from', { allOf: [{ type: 'integer' }, { minimum: 2 }] }),
        query('to', { anyOf: [{ type: 'integer' }, { type: 'null' }] }),
        query('all', { oneOf: [{ type: 'boolean' }, { const: 'some' }] }),
        query('step', { enum: [1, 2] }),
        query('any', { anyOf: [{ const: 'all' }, { type: 'array', items: { type: 'integer' } }] }),
        query('box', { type: 'object', required: ['a'] }, { style: 'deepObject' }),
        query('two', { type: 'array', items: { type: 'string' }, minItems: 2 }),
        query(
          'words',
          { type: 'array', items: { enum: ['a', 'b'] } },
          { style: 'spaceDelimited', explode: false },
        ),
        query('size', { type: 'object' }, { style: 'deepObject', required: true }),
        query('shape', { type: 'object', properties: { legs: { type: 'integer' } } }),
        { name: 'code', in: 'query', content: { 'text/plain': { schema: { type: 'string' } } } },
        query('days', { allOf: [{ type: 'array', items: { type: 'integer' } }] }, { style: 'pipeDelimited' }),
        {
          name: 'where',
          in: 'query',
          content: { 'application/json': { schema: { type: 'object', required: ['name'] } } },
        },
      ]
      // getPet has a state, ratePet has none.
      const post = { operationId: 'ratePet', responses: answers }
      const sandbox = await start({ strict: true }, { parameters, post })
      const status = async (search: string) => (await call(sandbox, method, `/pets/1?${search}`)).status
      const valid = [
        'fast=true',
        'weight=1.5',
        'tag=a&tag=b',
        'ids=1,2',
        'of=4',
        'from=2',
        'to=1',
        'all=true',
      ]
      for (const search of [
        ...valid,
        'all=some',
        'step=2',
        'days=1%7C2',
        'where=%7B%22name%22%3A1%7D',
        'two=a&two=b',
        'words=a%20b',
        'any=all',
        'any=1&any=2',
        'code=1',
        'box[a]=1&size[height][from]=2&legs=4',
        '',
      ])
        expect([search, await status(search)]).toEqual([search, 200])
      for (const search of [
        'fast=yes',
        'weight=x',
        'tag=long',
        'ids=1,x',
        'of=9007199254740993',
        'fast=true&fast=true',
        'from=1',
        'to=x',
        'all=x',
        'step=3',
        'days=1%7Cx',
        'any=some',
        'any=all&any=all',
        'where=%7B%7D',
        'two=a',
        'words=a%20c',
        'weight=0x10',
        'weight=',
        'boxes[a]=1',
        'wings=2',
      ])
        expect([search, await status(search)]).toEqual([search, 400])
    },
  )

  it.each(['#/components/responses/Nope', 'other.yaml#/X'])('refuses a response %s', async ($ref) => {
    const post = { operationId: 'ratePet', responses: { 200: { $ref } } }
    await expect(start({}, { post })).rejects.toThrow(`${$ref} has no target`)
  })

  it('answers with the declared header fields, media type and text', async () => {
    const headers = {
      'X-Total': { required: true, schema: { type: 'integer' }, example: 7 },
      'X-RateLimit-Limit': { $ref: '#/components/headers/X-RateLimit-Limit' },
      'X-Bad': { required: true, schema: { type: 'string' }, example: 'a\nb' },
    }
    const content = { 'text/plain': { schema: { type: 'string' }, example: 'as it is' } }
    const post = { operationId: 'ratePet', responses: { 200: { description: 'Rated.', headers, content } } }
    const answer = await call(await start({}, { post }), 'POST', '/pets/1')
    expect(answer).toMatchObject({ status: 200, text: 'as it is' })
    const {
      'x-total': total,
      'content-type': type,
      'x-ratelimit-limit': limit,
      ...others
    } = Object.fromEntries(answer.headers)
    expect({ total, type, limit }).toEqual({
      total: '7',
      type: 'text/plain',
      limit: expect.stringMatching(/^\d+$/),
    })
    expect(others).not.toHaveProperty('x-bad')
  })

  it('answers with its first status if it declares no success', async () => {
    const headers = { Location: { required: true, schema: { type: 'string' }, example: '/v1/pets' } }
    const post = { operationId: 'ratePet', responses: { 302: { description: 'Elsewhere.', headers } } }
    const answer = await call(await start({}, { post }), 'POST', '/pets/1')
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toBe('/v1/pets')
  })

  it('answers a forced error as it declares it, else with the error of the status', async () => {
    const problem = { 'application/problem+json': { example: { title: 'Not rated' } } }
    const conflict = { description: 'No.', headers: { 'Retry-After': { example: 9 } }, content: problem }
    const post = { operationId: 'ratePet', responses: { 200: answers[200], 404: ERRORS, 503: conflict } }
    const sandbox = await start({}, { post })
    const forced = async (code: number) => {
      const headers = { authorization: 'Bearer psk_enterprise', prefer: `code=${code}` }
      const answer = await sandbox.fetch('/v1/pets/1', { method: 'POST', headers })
      return [
        answer.status,
        answer.headers.get('content-type'),
        answer.headers.get('retry-after'),
        await answer.json(),
      ]
    }
    expect(await forced(503)).toEqual([503, 'application/problem+json', '1', { title: 'Not rated' }])
    expect(await forced(404)).toEqual([
      404,
      'application/json',
      null,
      expect.objectContaining({ status: 404 }),
    ])
    expect(await forced(409)).toEqual([
      409,
      'application/json',
      null,
      expect.objectContaining({ status: 409 }),
    ])
  })

  it('refuses a media type that it does not declare, whatever the body is', async () => {
    const requestBody = { content: { 'text/plain': { schema: { type: 'string' } } } }
    const sandbox = await start({}, { post: { operationId: 'ratePet', requestBody, responses: answers } })
    expect((await call(sandbox, 'POST', '/pets/1', '{')).status).toBe(415)
  })

  it('needs no key with security: [], and reads its body then', async () => {
    const post = { operationId: 'ratePet', security: [], ...schemaBody(note), responses: answers }
    const sandbox = await start({}, { post })
    const send = (headers: Record<string, string>, body: string) =>
      sandbox.fetch('/v1/pets/1', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      })
    expect((await send({}, '{"note":"x"}')).status).toBe(200)
    expect((await send({}, '{"note":1}')).status).toBe(400)
    expect((await send({ authorization: 'Bearer wrong' }, '{}')).status).toBe(401)
    expect((await sandbox.fetch('/v1/pets/1')).status).toBe(401)
    const [first] = await sandbox.requests()
    expect(first).toMatchObject({ status: 200, decision: 'served', why: 'Served.', key: null })
  })
})

it('an operation that an overlay marks as deprecated has no dates, and is not removed', async () => {
  const sandbox = await start(
    {},
    { post: { operationId: 'ratePet', deprecated: true, responses: { 200: { description: '' } } } },
  )
  await sandbox.clock.set('2030-12-06T00:00:00Z')
  const { status, headers } = await call(sandbox, 'POST', '/pets/1')
  expect([status, headers.get('deprecation'), headers.get('link')]).toEqual([200, null, null])
  expect((await sandbox.report()).deprecatedCalls).toBe(1)
  const { paths } = (await (await sandbox.fetch('/openapi.json')).json()) as OpenApiDocument
  expect(Object.keys(paths['/pets/{petId}'] ?? {})).toEqual(['post'])
})

describe('the list', () => {
  const at = (name: string) => `$.paths['/pets'].get.parameters[?(@.name=='${name}')]`
  const statuses = { type: 'array', items: { $ref: '#/components/schemas/PetStatus' } }
  const ofStatuses = [
    { target: `${at('status')}.schema['$ref']`, remove: true },
    { target: `${at('status')}.schema`, update: statuses },
  ]
  const ids = async (sandbox: Sandbox, query = '') =>
    JSON.parse((await call(sandbox, 'GET', `/pets${query}`)).text).map(({ id }: { id: number }) => id)
  const of = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

  it.each([
    ['no default of limit', [{ target: `${at('limit')}.schema.default`, remove: true }], '', of(12)],
    [
      'no default, but a limit',
      [{ target: `${at('limit')}.schema.default`, remove: true }],
      '?limit=2',
      of(2),
    ],
    ['no limit', [{ target: at('limit'), remove: true }], '', of(12)],
    ['a list of statuses', ofStatuses, '?status=sold', [3, 8, 11]],
    ['a list of statuses', ofStatuses, '?status=sold&status=pending&limit=3', [2, 3, 7]],
  ])('with %s in its overlay, %j %s', async (_, actions, query, expected) => {
    expect(await ids(await startWith(actions), query)).toEqual(expected)
    const newest = await startWith(actions, { decisions: { 'list.order': 'newest' } })
    if (!query.includes('limit')) expect(await ids(newest, query)).toEqual(expected.toReversed())
  })
})

it.each([
  ['501', { GET: 501, HEAD: 501, POST: 201, PUT: 405 }, ['post']],
  ['404', { GET: 404, HEAD: 404, POST: 201, PUT: 405 }, ['post']],
  ['mock', { GET: 200, HEAD: 200, POST: 201, PUT: 405 }, ['get', 'post']],
])(
  'an operation beside GET /store/orders is served; orders=%s is about that one',
  async (orders, expected, ids) => {
    const post = { operationId: 'createOrder', responses: { 201: { description: 'Ordered.' } } }
    const actions = [{ target: "$.paths['/store/orders']", update: { post } }]
    const sandbox = await startWith(actions, { decisions: { orders } })
    const statuses = Object.keys(expected).map(async (method) => [
      method,
      (await call(sandbox, method, '/store/orders')).status,
    ])
    expect(Object.fromEntries(await Promise.all(statuses))).toEqual(expected)
    const allowed = orders === '404' ? 'POST, OPTIONS' : 'GET, HEAD, POST, OPTIONS'
    for (const method of ['PUT', 'OPTIONS'])
      expect((await call(sandbox, method, '/store/orders')).headers.get('allow')).toBe(allowed)
    const { paths } = (await (await sandbox.fetch('/openapi.json')).json()) as OpenApiDocument
    expect(Object.keys(paths['/store/orders'] ?? {})).toEqual(ids)
  },
)

it('the header parameters of an operation with state are validated like those of its query', async () => {
  const header = (name: string, schema: object, required = false) => ({
    name,
    in: 'header',
    required,
    schema,
  })
  const parameters = [
    header('X-Tenant', { type: 'string', minLength: 8 }, true),
    header('X-Ids', { type: 'array', items: { type: 'integer' }, maxItems: 2 }),
    header('Accept', { type: 'string' }, true),
  ]
  const sandbox = await startWith([{ target: "$.paths['/pets'][*]", update: { parameters } }])
  const send = async (headers: Record<string, string>, body?: string) => {
    const all = { authorization: 'Bearer psk_pro', 'content-type': 'application/json', ...headers }
    const response = await sandbox.fetch('/v1/pets', { headers: all, ...(body && { method: 'POST', body }) })
    const { message } = Object(await response.json())
    return [response.status, message]
  }
  for (const body of [undefined, '{"name":"Kit","categoryId":1}']) {
    const status = body ? 201 : 200
    expect(await send({}, body)).toEqual([400, 'X-Tenant is required'])
    expect(await send({ 'x-tenant': 'short', 'x-ids': '1, x' }, body)).toEqual([
      400,
      'X-Tenant must have at least 8 characters; X-Ids[1] must be an integer',
    ])
    expect(await send({ 'x-tenant': 'long enough', 'x-ids': '1, 2' }, body)).toEqual([status, undefined])
  }
  expect((await call(sandbox, 'GET', '/pets?limit=0')).text).toContain(
    'limit must be an integer from 1 to 100; X-Tenant is required',
  )
})
