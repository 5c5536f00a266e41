import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connectControl } from '../../../src/client/control.ts'
import { createWorld, type WorldHandle } from '../../../src/client/world.ts'
import { createProxy, type RunningProxy } from '../../../src/compose/proxy.ts'
import { createSandbox, type Sandbox } from '../../../src/compose/sandbox.ts'
import type { Exchange } from '../../../src/world/traffic/exchange.ts'
import { temporaryFolder } from '../../support/folder.ts'

const LIMITS = { 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '41', 'X-RateLimit-Reset': '1795091720' }
const JSON_TYPE = { 'Content-Type': 'application/json' }
const KEY = { Authorization: 'Bearer live_secret.with.dots' }

interface Answer {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
}

let service: Server
let answer: Answer = {}
let requestCount = 0
let proxy: RunningProxy
let world: WorldHandle
let reported: Exchange[]

beforeAll(async () => {
  service = createServer((message, response) => {
    requestCount++
    message.resume()
    const { status = 200, headers = {}, body = '[]' } = answer
    response.writeHead(status, { ...LIMITS, ...JSON_TYPE, ...headers })
    response.end(body)
  }).listen(0, '127.0.0.1')
  await once(service, 'listening')
})
beforeEach(async () => {
  reported = []
  requestCount = 0
  answer = {}
  const { port } = service.address() as AddressInfo
  proxy = await createProxy(
    `http://127.0.0.1:${port}/v1`,
    { port: 0 },
    {
      onViolation: (exchange) => reported.push(exchange),
      gathersPets: true,
    },
  )
  world = createWorld(connectControl({ url: proxy.controlUrl, namespace: 'default' }))
})
afterEach(() => proxy.close())
afterAll(() => void service.close())

const call = (path = '/pets', init: RequestInit = {}) =>
  fetch(`${proxy.baseUrl}${path}`, { headers: KEY, ...init })
const violations = () => proxy.violations.list().map(({ operation, message }) => `${operation}: ${message}`)

describe('traffic is validated', () => {
  it('without violations if everything is valid', async () => {
    answer = { body: '[{"id":9007199254740993,"name":"Rex","categoryId":1,"status":"sold"}]' }
    expect(await (await call('/pets?limit=1')).text()).toBe(answer.body)
    expect(violations()).toEqual([])
    expect(reported).toEqual([])
  })

  it('the response: body, header fields and status', async () => {
    answer = { body: '[{"id":"1","name":"Rex","categoryId":1}]' }
    await call()
    await call()
    answer = { status: 201, body: '{"data":[]}', headers: { 'X-RateLimit-Remaining': 'many' } }
    await call('/pets', {
      method: 'POST',
      body: '{"name":"Rex","categoryId":1}',
      headers: { ...KEY, ...JSON_TYPE },
    })
    expect(proxy.violations.list()).toMatchObject([
      {
        operation: 'listPets',
        count: 2,
        first: 'req_000001 GET /v1/pets 200',
        message: expect.stringContaining('id'),
      },
      { operation: 'createPet', message: expect.stringContaining("'id'") },
      { operation: 'createPet', message: expect.stringContaining("'name'") },
      { operation: 'createPet', message: expect.stringContaining("'categoryId'") },
      { operation: 'createPet', message: expect.stringContaining('X-RateLimit-Remaining') },
    ])
    expect(reported.map(({ id }) => id)).toEqual(['req_000001', 'req_000002', 'req_000003'])
  })

  it('the response: another success status than the declared one', async () => {
    answer = { status: 200, body: '{"id":1,"name":"Rex","categoryId":1}' }
    await call('/pets', {
      method: 'POST',
      body: '{"name":"Rex","categoryId":1}',
      headers: { ...KEY, ...JSON_TYPE },
    })
    expect(violations()).toEqual([
      expect.stringMatching(/^createPet: Response status 200 is not declared; declared: 201,/),
    ])
  })

  it.each([
    ['limit=2', 3, ['listPets: Response body has 3 pets, but limit is 2']],
    ['limit=3', 3, []],
    ['', 21, ['listPets: Response body has 21 pets, but limit is 20 by default']],
    ['', 20, []],
    // Only the request is invalid, not the response.
    ['limit=0', 3, ['listPets: Request query limit must be an integer from 1 to 100']],
  ])('the response: no more pets than ?%s allows, of %i', async (query, count, expected) => {
    const pets = Array.from({ length: count }, (_, i) => ({ id: i + 1, name: 'Rex', categoryId: 1 }))
    answer = { body: JSON.stringify(pets) }
    await call(`/pets?${query}`)
    expect(violations()).toEqual(expected)
  })

  it('the response: no id twice in a list', async () => {
    answer = { body: '[{"id":1,"name":"Rex","categoryId":1},{"id":1,"name":"Kit","categoryId":1}]' }
    await call()
    expect(violations()).toEqual(['listPets: Response body has the id 1 more than once'])
  })

  it('the response: what is wrong in each pet of a list is one violation', async () => {
    const pets = Array.from({ length: 20 }, (_, i) => ({
      id: i,
      name: 'Rex',
      categoryId: '1',
      status: 'gone',
    }))
    answer = { body: JSON.stringify(pets) }
    await call()
    answer = { body: '[{"id":1,"name":"Rex"},{"id":2,"name":"Kit"},{"id":3,"categoryId":1}]' }
    await call()
    expect(violations()).toEqual([
      'listPets: Response body property 0.categoryId must be integer (also 1.categoryId, 2.categoryId, 3.categoryId, …)',
      'listPets: Response body property 0.status must be equal to one of the allowed values: available, pending, sold (also 1.status, 2.status, 3.status, …)',
      "listPets: Response body property 0 must have required property 'categoryId' (also 1)",
      "listPets: Response body property 2 must have required property 'name'",
    ])
  })

  it('the response: an error has no further members', async () => {
    const error = { code: 'x', message: 'y', status: 401 }
    answer = { status: 401, body: JSON.stringify(error) }
    await call()
    expect(violations()).toEqual([])
    answer = { status: 401, body: JSON.stringify({ ...error, traceId: 'a', at: 1 }) }
    await call()
    await call('/nope')
    expect(violations()).toEqual([
      'listPets: Response body has further members (traceId, at); an error has only code, message, status',
      'GET: GET /nope is not in the interface',
    ])
  })

  it('the response: Retry-After in seconds or as a date', async () => {
    const body = '{"code":"x","message":"y","status":429}'
    for (const retryAfter of ['60', 'Thu, 19 Nov 2026 12:34:56 GMT', 'soon']) {
      answer = { status: 429, headers: { 'Retry-After': retryAfter }, body }
      await call()
    }
    expect(proxy.violations.list()).toMatchObject([
      { message: 'Response header Retry-After must be integer', first: 'req_000003 GET /v1/pets 429' },
    ])
  })

  it('the response: only a deprecated operation has Deprecation and Sunset', async () => {
    const headers = { Deprecation: '@1764892800', Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT' }
    answer = { headers, body: '{"id":1,"name":"Rex","categoryId":1}' }
    await call('/pets/1')
    expect(violations()).toEqual([])
    answer = { headers }
    await call()
    expect(violations()).toEqual([
      'listPets: Response header Deprecation is not for listPets, which is not deprecated',
      'listPets: Response header Sunset is not for listPets, which is not deprecated',
    ])
  })

  it('the response: an id that is not an integer is not repeated, however long it is', async () => {
    const pet = { id: 'x'.repeat(100_000), name: 'Rex', categoryId: 1 }
    answer = { body: JSON.stringify([pet, pet]) }
    await call()
    expect(violations().join().length).toBeLessThan(1000)
  })

  it('the response: the pet that the request is for', async () => {
    answer = { body: '{"id":9007199254740993,"name":"Rex","categoryId":1}' }
    await call('/pets/9007199254740993')
    expect(violations()).toEqual([])
    await call('/pets/9007199254740992')
    expect(violations()).toEqual([
      'getPet: Response body.id is 9007199254740993, but the request is for 9007199254740992',
    ])
  })

  it('the response: the created pet as it was sent', async () => {
    const create = (body: string) =>
      call('/pets', { method: 'POST', body, headers: { ...KEY, ...JSON_TYPE } })
    answer = { status: 201, body: '{"id":1,"name":"Zoë","categoryId":9007199254740993,"status":"sold"}' }
    await create('{"name":"Zo\\u00eb","categoryId":9007199254740993}')
    await create('{"name":"Zoë","categoryId":9007199254740993.0,"status":"sold","x":1}')
    // Trimmed and normalised.
    await create('{"name":" Zoe\\u0308\\n","categoryId":9007199254740993}')
    expect(violations()).toEqual([])
    await create('{"name":"Zoe","categoryId":9007199254740992,"status":"sold"}')
    answer = { status: 201, body: '{"id":1,"name":"Zoe","categoryId":1}' }
    await create('{"name":"Zoe","categoryId":1,"status":"sold"}')
    expect(violations()).toEqual([
      'createPet: Response body.name is not the name that was sent',
      'createPet: Response body.categoryId is not the categoryId that was sent',
      'createPet: Response body.status is not the status that was sent',
    ])
  })

  it('the response: pets of the requested status only', async () => {
    answer = {
      body: '[{"id":1,"name":"Rex","categoryId":1,"status":"sold"},{"id":2,"name":"Kit","categoryId":1,"status":"available"}]',
    }
    await call('/pets?limit=2')
    expect(violations()).toEqual([])
    await call('/pets?status=sold')
    expect(violations()).toEqual([
      'listPets: Response body 1.status must be sold, because the request has status=sold',
    ])
  })

  it('the response: pets of the requested statuses, where an overlay declares a list of them', async () => {
    const overlay = join(temporaryFolder(), 'overlay.json')
    const schema = "$.paths['/pets'].get.parameters[?(@.name=='status')].schema"
    const actions = [
      { target: `${schema}['$ref']`, remove: true },
      { target: schema, update: { type: 'array', items: { $ref: '#/components/schemas/PetStatus' } } },
    ]
    writeFileSync(overlay, JSON.stringify({ overlay: '1.0.0', actions }))
    const { port } = service.address() as AddressInfo
    const other = await createProxy(`http://127.0.0.1:${port}/v1`, { port: 0, overlay })
    answer = { body: '[{"id":1,"name":"Rex","categoryId":1,"status":"sold"}]' }
    for (const query of ['status=sold', 'status=pending&status=sold', 'status=pending&status=available'])
      await fetch(`${other.baseUrl}/pets?${query}`, { headers: KEY })
    expect(other.violations.list().map(({ message }) => message)).toEqual([
      'Response body 0.status must be pending or available, because the request has status=pending,available',
    ])
    await other.close()
  })

  it('the parameters of an overlay, as the sandbox reads them', async () => {
    const overlay = join(temporaryFolder(), 'overlay.json')
    const list = (type: string) => ({ type: 'array', items: { type } })
    const update = [
      { name: 'filter', in: 'query', style: 'deepObject', explode: true, schema: { type: 'object' } },
      { name: 'n', in: 'query', schema: list('integer') },
      { name: 'words', in: 'query', style: 'spaceDelimited', explode: false, schema: list('string') },
      { name: 'X-Numbers', in: 'header', schema: list('integer') },
    ]
    const actions = [{ target: "$.paths['/pets'].get.parameters", update }]
    writeFileSync(overlay, JSON.stringify({ overlay: '1.0.0', actions }))
    const { port } = service.address() as AddressInfo
    const other = await createProxy(`http://127.0.0.1:${port}/v1`, { port: 0, overlay })
    const send = (query: string, headers = {}) =>
      fetch(`${other.baseUrl}/pets?${query}`, { headers: { ...KEY, ...headers } })
    for (const query of ['', 'n=1&n=2', 'words=a%20b', 'filter%5Ba%5D=b']) await send(query)
    await send('', { 'X-Numbers': '1, 2' })
    expect(other.violations.list()).toEqual([])
    await send('n=1&n=b', { 'X-Numbers': 'c' })
    expect(other.violations.list().map(({ message }) => message)).toEqual([
      'Request query n[1] must be an integer',
      'Request header X-Numbers[0] must be an integer',
    ])
    await other.close()
  })

  it('the additions of the served document to operations of an overlay with x-sandbox', async () => {
    const overlay = join(temporaryFolder(), 'overlay.json')
    const responses = { 200: { description: 'The changed pet' } }
    const update = { patch: { operationId: 'updatePet', 'x-sandbox': 'update', responses } }
    const actions = [{ target: "$.paths['/pets/{petId}']", update }]
    writeFileSync(overlay, JSON.stringify({ overlay: '1.0.0', actions }))
    const { port } = service.address() as AddressInfo
    const other = await createProxy(`http://127.0.0.1:${port}/v1`, { port: 0, overlay })
    answer = { status: 404, body: '{"code":"pet_not_found","message":"y","status":404}' }
    for (const body of ['{"status":"sold"}', '{"name":7}'])
      await fetch(`${other.baseUrl}/pets/9`, { method: 'PATCH', body, headers: { ...KEY, ...JSON_TYPE } })
    expect(other.violations.list().map(({ message }) => message)).toEqual([
      'Request body property name must be string',
    ])
    await other.close()
  })

  it('the request: key, parameters, body and route', async () => {
    answer = { status: 400, body: '{"code":"x","message":"y","status":400}' }
    await call('/pets?limit=0')
    await call('/pets', {
      method: 'POST',
      body: '{"name":7,"categoryId":1}',
      headers: { ...KEY, ...JSON_TYPE },
    })
    await call('/pets', { headers: {} })
    await call('/nope', { method: 'PUT' })
    expect(violations()).toEqual([
      expect.stringMatching(/^listPets: Request query limit must be an integer from 1 to 100/),
      expect.stringMatching(/^createPet: Request body.*name.*must be string/),
      expect.stringMatching(/^listPets: Request header Authorization/),
      'PUT: PUT /nope is not in the interface',
    ])
  })

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('by a decompressed copy: %s', async (encoding, compress) => {
    answer = {
      headers: { 'Content-Encoding': encoding },
      body: compress('[{"id":1,"name":"Rex","categoryId":"1"}]'),
    }
    await call()
    expect(violations()).toEqual([expect.stringMatching(/categoryId must be integer/)])
    const [entry] = await world.requests()
    expect(entry?.response.body).toContain('"Rex"')
  })

  it.each([
    ['a little that becomes a lot', ['gzip'], gzipSync(Buffer.alloc(64 * 1024 * 1024))],
    ['in several steps', ['gzip, gzip'], gzipSync(gzipSync(Buffer.alloc(64 * 1024 * 1024)))],
    ['with a raw frame', ['deflate'], deflateRawSync(Buffer.alloc(64 * 1024 * 1024))],
    ['in many steps', ['gzip,gzip,gzip,gzip'], gzipSync('[]')],
    ['with the name of a member of every object', ['constructor'], Buffer.from('[]')],
  ])('passes unchanged, and its body is not validated: %s', async (_, [encoding = ''], body) => {
    answer = { headers: { 'Content-Encoding': encoding, 'Content-Length': String(body.length) }, body }
    const { request } = await import('node:http')
    const length = await new Promise((resolve, reject) => {
      const sent = request(`${proxy.baseUrl}/pets`, { headers: KEY }, async (message) => {
        const chunks: Buffer[] = []
        for await (const chunk of message) chunks.push(chunk)
        resolve(Buffer.concat(chunks).length)
      })
      sent.on('error', reject).end()
    })
    expect(length).toBe(body.length)
    expect(violations()).toEqual([
      expect.stringMatching(
        /Response body cannot be read: it(s Content-Encoding constructor is not supported| is larger than 8 MiB| has 4 Content-Encodings)/,
      ),
    ])
    expect((await world.requests())[0]?.response.body).toBe('')
  })

  it('a body that cannot be decompressed is a violation', async () => {
    const raw = gzipSync('[]').subarray(0, 5)
    answer = { headers: { 'Content-Encoding': 'gzip', 'Content-Length': '5' }, body: raw }
    const response = await call()
    expect(response.status).toBe(200)
    await response.text().catch(() => 'no fetch can read it either')
    expect(violations()).toEqual([expect.stringMatching(/Response body cannot be read: it is not gzip/)])
  })

  it('traffic outside the interface is not validated', async () => {
    answer = { status: 404, body: '<html>', headers: { 'Content-Type': 'text/html' } }
    await fetch(`${proxy.baseUrl.replace('/v1', '/status')}`)
    await call('/store/orders')
    await call('/pets', { method: 'OPTIONS' })
    expect(violations()).toEqual([])
    expect((await world.requests()).map(({ path }) => path)).toEqual(['/status', '/v1/store/orders'])
  })
})

describe('traffic is journaled', () => {
  it('with its violations, and without the key', async () => {
    answer = { body: '{}' }
    await call('/pets?token=live_secret.with.dots')
    const [entry] = await world.requests()
    expect(entry).toMatchObject({
      id: 'req_000001',
      namespace: 'default',
      key: '…',
      plan: null,
      operationId: 'listPets',
      path: '/v1/pets',
      query: 'token=…',
      status: 200,
      decision: 'served',
      warnings: [expect.stringContaining('must be array')],
      request: { headers: { authorization: 'Bearer …' } },
      response: { body: '{}' },
    })
    expect(JSON.stringify(entry)).not.toContain('live_secret')
    expect(JSON.stringify(proxy.violations.list())).not.toContain('live_secret')
  })

  it('refusals, early retries and duplicates are counted', async () => {
    answer = {
      status: 429,
      headers: { 'Retry-After': '30' },
      body: '{"code":"slow_down","message":"Wait.","status":429}',
    }
    await call()
    await call()
    answer = { status: 201, body: '{"id":1,"name":"Rex","categoryId":1}' }
    const post = { method: 'POST', body: '{"name":"Rex","categoryId":1}', headers: { ...KEY, ...JSON_TYPE } }
    await call('/pets', post)
    await call('/pets', post)
    answer = { status: 404, body: '{"code":"huh","message":"No.","status":404}' }
    await call('/pets/7')
    await call('/nope')
    expect(await world.report()).toMatchObject({
      requests: 6,
      coverage: { listPets: { 429: 2 }, createPet: { 201: 2 }, getPet: { 404: 1 } },
      uncovered: [],
      rateLimited: 2,
      earlyRetries: { count: 5 },
      deprecatedCalls: 1,
      possibleDuplicates: 1,
      invalidRequests: 1,
    })
    const decisions = (await world.requests()).map(({ decision }) => decision)
    expect(decisions).toEqual([
      'refused:window',
      'refused:window',
      'served',
      'served',
      'refused:request',
      'refused:request',
    ])
  })
})

describe('faults act on traffic', () => {
  it('before: the service gets no request', async () => {
    await world.faults.add({ effect: { status: 503, retryAfter: 7 }, times: 1 })
    const response = await call()
    expect([response.status, response.headers.get('retry-after'), requestCount]).toEqual([503, '7', 0])
    expect((await call()).status).toBe(200)
    expect((await world.report()).serverErrors).toBe(0)
  })

  it('after: the service carries out the request, and its answer is lost', async () => {
    await world.faults.add({
      match: { operationId: 'listPets' },
      effect: { wire: 'reset' },
      when: 'after',
      times: 1,
    })
    await expect(call()).rejects.toThrow('fetch failed')
    expect(requestCount).toBe(1)
    expect(await world.requests()).toMatchObject([{ status: 0, decision: 'fault:fault_1' }])
  })

  it('on the wire: only half of the body is sent', async () => {
    answer = { body: '[1,2,3,4,5,6,7,8]', headers: { 'Content-Length': '17' } }
    await world.faults.add({ effect: { wire: 'truncate' } })
    const response = await call()
    await expect(response.text()).rejects.toThrow()
  })

  it('for one key of the service', async () => {
    await world.faults.add({ match: { key: 'live_secret.with.dots' }, effect: { status: 500 } })
    expect((await call()).status).toBe(500)
    expect((await call('/pets', { headers: { Authorization: 'Bearer another' } })).status).toBe(200)
  })

  it('not outside the interface, and not on OPTIONS', async () => {
    await world.faults.add({ effect: { status: 500 } })
    expect((await fetch(proxy.baseUrl.replace('/v1', '/status'))).status).toBe(200)
    expect((await call('/pets', { method: 'OPTIONS' })).status).toBe(200)
  })
})

describe('the recorded animals', () => {
  it('are those of all answers, the latest of each id, with every digit', async () => {
    expect(proxy.petsSeen()).toBeUndefined()
    answer = {
      body: '[{"id":2,"name":"Old","categoryId":1},{"id":9007199254740993,"name":"Big","categoryId":-5}]',
    }
    await call()
    answer = { body: '{"id":2,"name":"New","categoryId":1,"status":"sold","colour":"red"}' }
    await call('/pets/2')
    answer = { status: 201, body: '{"id":1,"name":"Kit","categoryId":2}' }
    await call('/pets', { method: 'POST', body: '{}', headers: { ...KEY, ...JSON_TYPE } })
    answer = {
      body: '[{"id":"3","name":"No","categoryId":1},{"name":"None"},7,{"id":4,"name":"","categoryId":0,"status":"lost"}]',
    }
    await call()
    answer = { status: 404, body: '{"id":5,"name":"Ghost","categoryId":1}' }
    await call('/pets/5')
    expect(proxy.petsSeen()).toEqual({
      pets: [
        { id: 1, name: 'Kit', categoryId: 2 },
        { id: 2, name: 'New', categoryId: 1, status: 'sold' },
        { id: 9007199254740993n, name: 'Big', categoryId: -5 },
      ],
      nextId: 9007199254740994n,
      keys: [],
    })
  })
})

describe('the sandbox as the service', () => {
  let sandbox: Sandbox
  let other: RunningProxy

  beforeEach(async () => {
    sandbox = await createSandbox({ port: 0 })
    other = await createProxy(sandbox.baseUrl, { port: 0, latency: '1ms-2ms' }, { gathersPets: true })
  })
  afterEach(async () => {
    await other.close()
    await sandbox.close()
  })

  it('has no violations in its answers', async () => {
    const headers = (key = 'psk_pro') => ({ Authorization: `Bearer ${key}` })
    const send = (path: string, init: RequestInit = { headers: headers() }) =>
      fetch(other.baseUrl + path, init)
    await send('/pets?limit=3&status=sold')
    await send('/pets', { method: 'HEAD', headers: headers() })
    await send('/pets/1')
    await send('/pets/999')
    await send('/pets', { headers: headers('psk_limited') })
    await send('/pets', { headers: headers('nope') })
    const body = '{"name":"Kit","categoryId":2}'
    await send('/pets', { method: 'POST', headers: { ...headers(), ...JSON_TYPE }, body })
    await send('/pets', { headers: { ...headers(), Prefer: 'code=503' } })
    expect(other.violations.list()).toEqual([])
    expect(other.report().requests).toBe(8)
    expect(other.petsSeen()?.pets.map(({ id }) => id)).toEqual([1, 3, 8, 11, 13])
  })
})

it('the report counts all requests, also those before a reset', async () => {
  answer = { body: '[1]' }
  await call()
  await world.reset('requests')
  await call()
  expect(proxy.violations.list().map(({ count }) => count)).toEqual([2])
  expect(proxy.report()).toMatchObject({ requests: 2, coverage: { listPets: { 200: 2 } } })
})

it.each([{}, { only: [] }])('a reset without names resets what a proxy has: %j', async (body) => {
  const init = { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(`${proxy.controlUrl}/reset`, init)
  expect(await response.json()).toEqual({ reset: ['clock', 'faults', 'requests'], pets: 0 })
})

it('operations that change pets are validated as the served document has them', async () => {
  const overlay = join(temporaryFolder(), 'changes.json')
  const actions = [
    {
      target: "$.paths['/pets/{petId}']",
      update: {
        patch: { operationId: 'updatePet', 'x-sandbox': 'update', responses: { 200: { description: 'x' } } },
      },
    },
  ]
  writeFileSync(overlay, JSON.stringify({ overlay: '1.0.0', actions }))
  const { port } = service.address() as AddressInfo
  const changing = await createProxy(
    `http://127.0.0.1:${port}/v1`,
    { port: 0, overlay: [overlay], log: 'silent' },
    { gathersPets: true },
  )
  const patch = async (change: object, reply: Answer) => {
    answer = reply
    const init = { method: 'PATCH', headers: { ...KEY, ...JSON_TYPE }, body: JSON.stringify(change) }
    await fetch(`${changing.baseUrl}/pets/1`, init)
  }
  const pet = { id: 1, name: 'Kit', categoryId: 1 }
  await patch({ name: 'Kit', status: null }, { body: JSON.stringify(pet) })
  await patch({ name: 'Kit' }, { status: 404, body: '{"code":"a","message":"b","status":404}' })
  expect(changing.violations.list()).toEqual([])
  expect(changing.petsSeen()?.pets).toEqual([pet])
  await patch({ name: null }, { body: JSON.stringify({ ...pet, status: 'lost' }) })
  const texts = changing.violations.list().map(({ message }) => message)
  await changing.close()
  expect(texts).toEqual([
    expect.stringMatching(/Request body property name must be string/),
    expect.stringMatching(/Response body property status must be equal to one of/),
  ])
})

it('violations are findings of their request, with its key masked', async () => {
  answer = { body: '[{"id":1,"name":"a","categoryId":1,"status":"live_secret.with.dots"}]' }
  await call()
  const [entry] = await world.requests()
  const text = expect.stringContaining('status must be equal to one of')
  expect(entry).toMatchObject({
    findings: [{ kind: 'violation', text, texts: [text] }],
    warnings: [text],
  })
  expect(JSON.stringify(entry)).not.toContain('live_secret')
  expect(await world.report()).toMatchObject({ interfaceViolations: 1 })
})

it('has the document that it validates against, without asking the service', async () => {
  const document = await (await fetch(`${proxy.controlUrl}/interface.json`)).json()
  expect(document).toMatchObject({ openapi: '3.1.0', paths: { '/pets/{petId}': {} } })
  expect([requestCount, await world.requests()]).toEqual([0, []])
})

it('an Error with another status than its response is a violation', async () => {
  answer = { status: 404, body: '{"code":"a","message":"b","status":400}' }
  await call('/pets/9')
  expect(violations()).toEqual(['getPet: Response body.status is 400, but the status of the response is 404'])
})

it('JSON that is not UTF-8 is a violation, and no pet of it is collected', async () => {
  answer = { body: Buffer.from('[{"id":1,"name":"\xff","categoryId":1}]', 'latin1') }
  await call()
  expect(violations()).toEqual(['listPets: Response body cannot be read: it is not UTF-8, as JSON must be'])
  expect(proxy.petsSeen()?.pets ?? []).toEqual([])
})

it.each([
  ['application/json', /is not JSON/],
  ['text/plain', /Content-Type is text\/plain/],
])('a body of %s that is refused has one violation', async (type, why) => {
  answer = { status: 400, body: '{"code":"a","message":"b","status":400}' }
  const headers = { ...KEY, 'Content-Type': type }
  await call('/pets', { method: 'POST', headers, body: '{"name":' })
  expect(violations()).toEqual([expect.stringMatching(why)])
})
