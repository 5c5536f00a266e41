import { describe, expect, it } from 'vitest'
import { api, call, sandbox, sandboxPerTest } from './client.ts'

sandboxPerTest()

const create = (name: string, categoryId = 1) => api('/pets', { json: { name, categoryId } })
const verify = (match: object, times?: object) =>
  call('POST', '/requests/verify', { match, ...(times && { times }) })

describe('the journal', () => {
  it('has request, response and decision, and only well-known keys unmasked', async () => {
    await api('/pets?limit=2&page=3', { key: 'psk_pro' })
    await api('/pets', { key: 'psk_nobody' })
    const issued = (await call('POST', '/keys', { plan: 'free' })).body.key
    await api('/pets/99', { key: `${issued}.w1` })
    await api('/pets', { method: 'OPTIONS' })
    const { body, text } = await call('GET', '/requests')
    expect(body).toHaveLength(2)
    expect(body[0]).toMatchObject({
      id: 'req_000001',
      at: '2026-11-19T12:34:56.000Z',
      namespace: 'default',
      key: 'psk_pro',
      plan: 'pro',
      operationId: 'listPets',
      method: 'GET',
      path: '/v1/pets',
      query: 'limit=2&page=3',
      status: 200,
      decision: 'served',
      warnings: [expect.stringContaining('page')],
      request: { headers: { authorization: 'Bearer psk_pro' }, body: '' },
    })
    expect(JSON.parse(body[0].response.body)).toHaveLength(2)
    expect(body[1]).toMatchObject({ key: 'psk_…', plan: null, status: 401, decision: 'refused:key' })
    const elsewhere = await call('GET', '/requests?namespace=w1')
    expect(elsewhere.body).toMatchObject([
      { namespace: 'w1', key: 'psk_…', operationId: 'getPet', status: 404, plan: 'free' },
    ])
    expect(text + elsewhere.text).not.toContain(issued)
    expect(text).not.toContain('nobody')
  })

  it('truncates a body at 16 KiB, of requests and responses alike, counted in bytes', async () => {
    await create('x'.repeat(8000))
    await create('\u{1f600}'.repeat(5000))
    const { body } = await call('GET', '/requests')
    expect(body[0].request).not.toHaveProperty('truncated')
    expect(body[0].response).not.toHaveProperty('truncated')
    for (const message of [body[1].request, body[1].response]) {
      expect(message).toMatchObject({ truncated: true, body: expect.stringMatching(/ \(cut at 16 KiB\)$/) })
      expect(Buffer.byteLength(message.body)).toBeLessThan(16 * 1024 + 30)
    }
  })

  it('is filtered, newest last, and cleared without the report', async () => {
    for (const name of ['a', 'b', 'c']) await create(name)
    await api('/pets/99')
    await api('/pets', { key: 'psk_free' })
    const idsOf = async (query: string) =>
      (await call('GET', `/requests?${query}`)).body.map((entry: { id: string }) => entry.id)
    expect(await idsOf('operationId=createPet')).toEqual(['req_000001', 'req_000002', 'req_000003'])
    expect(await idsOf('operationId=createPet&limit=2')).toEqual(['req_000002', 'req_000003'])
    expect(await idsOf('status=404')).toEqual(['req_000004'])
    expect(await idsOf('status=4xx')).toEqual(['req_000004'])
    expect(await idsOf('status=0')).toEqual([])
    expect(await idsOf('key=psk_free')).toEqual(['req_000005'])
    expect(await idsOf('key=psk_free.default')).toEqual(['req_000005'])
    expect(await idsOf('status=404&key=psk_free')).toEqual([])
    expect((await call('DELETE', '/requests')).status).toBe(204)
    expect((await call('GET', '/requests')).body).toEqual([])
    expect((await call('GET', '/report')).body.requests).toBe(5)
  })

  it('of all namespaces is in the order of arrival, whatever their clocks show', async () => {
    await call('POST', '/clock?namespace=w1', { advance: '1d' })
    await api('/pets', { key: 'psk_pro.w1' })
    await new Promise((resolve) => setTimeout(resolve, 5))
    await api('/pets')
    const { body } = await call('GET', '/requests?namespace=*')
    expect(body.map((entry: { namespace: string }) => entry.namespace)).toEqual(['w1', 'default'])
  })

  it('is HAR if the client accepts that', async () => {
    await create('a')
    const har = await call('GET', '/requests', undefined, { accept: 'text/html, application/har+json;q=0.9' })
    expect(har.headers.get('content-type')).toBe('application/har+json')
    expect(har.body.log).toMatchObject({
      version: '1.2',
      entries: [{ request: { method: 'POST' }, response: { status: 201 } }],
    })
    expect(har.text).toContain('Bearer psk_pro')
  })
})

describe('verify', () => {
  it('counts the matching requests', async () => {
    await create('Kit')
    await create('Kit', 2)
    await create('Tom')
    expect(
      (await verify({ operationId: 'createPet', status: 201, body: { name: 'Kit' } }, { exactly: 2 })).body,
    ).toEqual({ matched: 2 })
    expect((await verify({ body: { name: 'Kit', categoryId: 2 } })).body).toEqual({ matched: 1 })
    expect((await verify({ status: '2xx' })).body).toEqual({ matched: 3 })
    expect((await verify({ key: 'psk_pro' }, { atLeast: 1, atMost: 3 })).body).toEqual({ matched: 3 })
    expect((await verify({ key: 'psk_free' }, { exactly: 0 })).body).toEqual({ matched: 0 })
    expect((await verify({}, { atMost: 3 })).body).toEqual({ matched: 3 })
  })

  it('returns the expectation, the result, and the nearest requests', async () => {
    await api('/pets')
    await create('Tom', 2)
    await create('Kit', 9)
    await create('Tom', 9)
    await api('/pets/1')
    const { status, body } = await verify(
      { operationId: 'createPet', body: { name: 'Kit', categoryId: 2 } },
      { exactly: 1 },
    )
    expect(status).toBe(409)
    expect(body).toMatchObject({
      code: 'verification_failed',
      message:
        'Expected exactly 1 request with operationId createPet, body {"name":"Kit","categoryId":2}; found 0.',
      status: 409,
      expected: { exactly: 1 },
      actual: 0,
    })
    expect(body.nearest.map((entry: { id: string }) => entry.id)).toEqual([
      'req_000003',
      'req_000002',
      'req_000004',
    ])
    const tooMany = (await verify({ operationId: 'createPet', key: 'psk_pro' }, { atLeast: 1, atMost: 2 }))
      .body
    expect(tooMany).toMatchObject({
      actual: 3,
      nearest: [{ id: 'req_000004' }, { id: 'req_000003' }, { id: 'req_000002' }],
    })
    expect(tooMany.message).toBe(
      'Expected at least 1 and at most 2 requests with operationId createPet, key psk_pro; found 3.',
    )
    expect((await verify({ status: 500 })).body.expected).toEqual({ atLeast: 1 })
  })

  it('is uncertain if relevant entries were removed', async () => {
    const { key } = (await call('POST', '/keys', { plan: 'enterprise' })).body
    await create('first')
    for (let i = 0; i < 1000; i++) await api('/pets', { key })
    const gone = await verify({ operationId: 'createPet' }, { exactly: 0 })
    expect(gone.status).toBe(409)
    expect(gone.body).toMatchObject({ expected: { exactly: 0 }, actual: 0 })
    expect(gone.body.message).toContain(
      'The number is not certain: 1 older entry of the journal is gone. Reset the part requests before',
    )
    expect(gone.body.uncertain).toBe(true)
    // Results that do not depend on the removed entries are certain.
    expect((await verify({ operationId: 'listPets' }, { atLeast: 1000 })).status).toBe(200)
    expect((await verify({ operationId: 'listPets' }, { atMost: 1001 })).status).toBe(200)
    expect((await verify({ operationId: 'listPets' }, { atMost: 999 })).body.message).not.toContain('gone')
    expect((await verify({ operationId: 'createPet' }, { atLeast: 2 })).body.message).not.toContain('gone')
    await call('POST', '/reset', { only: ['requests'] })
    expect((await verify({ operationId: 'createPet' }, { exactly: 0 })).status).toBe(200)
  })

  it('does not guess the missing part of a truncated body', async () => {
    await create('é'.repeat(9000))
    const { body } = await verify({ body: { categoryId: 1 } }, { exactly: 0 })
    expect(body.message).toContain(
      'The number is not certain: 1 body was cut at 16 KiB. Leave body out of the match.',
    )
    expect((await verify({ body: { categoryId: 1 }, status: 400 }, { exactly: 0 })).status).toBe(200)
  })

  it.each([
    [{}, 'match is required'],
    [{ match: { operation: 'createPet' } }, 'match.operation is not known here'],
    [{ match: { operationId: 'createPets' } }, 'match.operationId must be one of'],
    [{ match: { status: 700 } }, 'match.status must be a number from 0 to 599'],
    [
      { match: { status: '6xx' } },
      'match.status must be an HTTP status such as 404, a class such as 4xx, or 0',
    ],
    [{ match: { method: 'GET ' } }, 'match.method must be a method such as GET'],
    [{ match: {}, times: {} }, 'times must have at least one of exactly, atLeast, atMost'],
    [{ match: {}, times: { exact: 1 } }, 'times.exact is not known here; known: exactly, atLeast, atMost'],
    [{ match: {}, times: { exactly: -1 } }, 'times.exactly must be an integer from 0 to'],
  ])('refuses %o', async (body, message) => {
    expect((await call('POST', '/requests/verify', body)).body).toMatchObject({
      code: 'invalid_body',
      message: expect.stringContaining(message),
    })
  })
})

describe('events', () => {
  interface Event {
    readonly event: string
    readonly data: Record<string, unknown>
  }

  /** Reads `count` events, then ends the stream. */
  async function follow(path: string, count: number, act: () => Promise<unknown>): Promise<Event[]> {
    const response = await sandbox.fetch(`/_sandbox${path}`)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('cache-control')).toContain('no-transform')
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    await act()
    let text = ''
    while (text.split('\n\n').length <= count) {
      text += Buffer.from((await reader.read()).value ?? []).toString()
    }
    await reader.cancel()
    return text
      .split('\n\n')
      .slice(0, count)
      .map((block) => {
        const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? []
        return { event, data: JSON.parse(data) }
      })
  }

  it('send the state at once and after each change, and every request of the namespace', async () => {
    const events = await follow('/events?namespace=w1', 5, async () => {
      await api('/pets', { key: 'psk_pro' })
      await api('/pets', { key: 'psk_pro.w1' })
      await call('POST', '/clock', { advance: '1s' })
      await call('POST', '/clock?namespace=w1', { advance: '61s' })
      await call('POST', '/reset?namespace=w1', { only: ['pets', 'clock'] })
      await call('PUT', '/label?namespace=w1', { label: 'a test' })
    })
    expect(events).toMatchObject([
      {
        event: 'state',
        data: { namespace: 'w1', changed: [], pets: 12, faults: 0, clock: { frozen: true } },
      },
      { event: 'request', data: { namespace: 'w1', operationId: 'listPets', key: 'psk_pro' } },
      { event: 'state', data: { changed: ['clock'], clock: { now: '2026-11-19T12:35:57.000Z' } } },
      { event: 'state', data: { changed: ['pets', 'clock'], clock: { now: '2026-11-19T12:34:56.000Z' } } },
      { event: 'state', data: { changed: [], point: { what: 'test: a test' } } },
    ])
  })

  it('send the initial state of a namespace that is dropped, without creating it again', async () => {
    const events = await follow('/events?namespace=w2', 3, async () => {
      await call('POST', '/seed?namespace=w2', { count: 3 })
      expect((await call('DELETE', '/namespaces/w2')).status).toBe(204)
    })
    expect(events.map(({ data }) => data.pets)).toEqual([12, 3, 12])
    expect((await call('DELETE', '/namespaces/w2')).status).toBe(404)
  })
})

describe('the report by test', () => {
  it('has a report of each test, in the order of their first requests, also for all namespaces', async () => {
    const baggage = (test: string) => ({ headers: { baggage: `test.name=${test}` } })
    await api('/pets?page=2', baggage('second'))
    await create('no test')
    await api('/pets/1', baggage('first'))
    await api('/pets', { key: 'psk_pro.w1', ...baggage('second') })
    expect((await call('GET', '/report')).body).not.toHaveProperty('tests')
    const { body } = await call('GET', '/report?by=test')
    expect(body).toMatchObject({
      requests: 3,
      tests: [
        { test: 'second', requests: 1, coverage: { listPets: { 200: 1 } }, ignoredInputs: { count: 1 } },
        { test: 'first', requests: 1, deprecatedCalls: 1 },
      ],
    })
    expect(body.tests[0].ignoredInputs.first[0]).not.toHaveProperty('namespace')
    const all = await call('GET', '/report?namespace=*&by=test')
    const first = [{ namespace: 'default', input: 'parameter page' }]
    expect(all.body).toMatchObject({
      requests: 4,
      tests: [{ test: 'second', requests: 2, ignoredInputs: { first } }, { test: 'first' }],
    })
    for (const query of ['by=key', 'by=test&at=req_000001'])
      expect((await call('GET', `/report?${query}`)).status, query).toBe(400)
  })
})
