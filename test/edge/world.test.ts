import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { SandboxFetch } from '../../src/web/fetch.ts'
import { startCollector } from '../support/collector.ts'
import { temporaryFolder } from '../support/folder.ts'
import { hasWorkerd, startWorkerd, type Workerd } from '../support/workerd.ts'

const EVERY = { decisions: { 'durable.log': 'every' } }
const GUARDED = { controlToken: 'a-long-control-token' }
const KEPT = { ...EVERY, keepKeys: true }
const SHORT = { ...EVERY, expire: '1s' }
const BUSY = { ...EVERY, limits: { pro: 'unlimited/unlimited' } }

const list = (fetch: SandboxFetch, key: string, query = '') =>
  fetch(`/v1/pets?limit=1${query}`, { headers: { authorization: `Bearer ${key}` } })

async function create(fetch: SandboxFetch, key: string, name = 'Kit'): Promise<number> {
  const response = await fetch('/v1/pets', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, categoryId: 1 }),
  })
  const { id } = (await response.json()) as { id: number }
  return id
}

async function call(fetch: SandboxFetch, method: string, path: string, json?: unknown) {
  const response = await fetch(`/_sandbox${path}`, {
    method,
    ...(json !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(json),
    }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

/** Waits until a request of w1 is held. */
const untilHeld = (fetch: SandboxFetch) =>
  expect.poll(async () => (await call(fetch, 'GET', '/holds?namespace=w1')).body).toHaveLength(1)

/** The visible state of a namespace. */
async function stateOf(fetch: SandboxFetch, namespace: string) {
  const views = [
    'requests?limit=1000&',
    'history?',
    'report?',
    'export?',
    'clock?',
    'faults?',
    'keys?',
    'snapshots?',
  ]
  return Promise.all(
    views.map(async (path) => (await call(fetch, 'GET', `/${path}namespace=${namespace}`)).body),
  )
}

describe.skipIf(!hasWorkerd)('a namespace in workerd', () => {
  const folder = temporaryFolder()
  let workerd: Workerd
  beforeAll(async () => {
    workerd = await startWorkerd([{}, EVERY, GUARDED, BUSY, KEPT, SHORT], folder)
  })
  afterAll(() => workerd.close())
  afterEach(async () => {
    for (const options of [{}, EVERY, BUSY])
      for (const name of ['default', 'w1', 'w2']) await workerd.at(options)(`/__empty/${name}`)
  })

  it('keeps its state after its process is killed: limits, bans, clock, journal, history, faults', async () => {
    const fetch = workerd.at(EVERY)
    await call(fetch, 'POST', '/clock?namespace=w1', { set: '2030-01-01T00:00:00Z', frozen: true })
    for (let n = 0; n < 5; n++) await list(fetch, 'psk_free.w1')
    const id = await create(fetch, 'psk_pro.w1')
    await call(fetch, 'POST', '/faults?namespace=w1', { match: {}, effect: { status: 503 }, times: 3 })
    await list(fetch, 'psk_pro.w1')
    await call(fetch, 'PUT', '/keys/psk_business/ban?namespace=w1', { seconds: 60 })
    await call(fetch, 'PUT', '/snapshots/before?namespace=w1')
    const before = await stateOf(fetch, 'w1')
    await workerd.kill()
    expect(await stateOf(fetch, 'w1')).toEqual(before)
    const { status } = await call(fetch, 'POST', '/rewind?namespace=w1', { to: 'req_000006' })
    expect(status).toBe(200)
    const pets = (await call(fetch, 'GET', '/export?namespace=w1')).body.pets as { id: number }[]
    expect(pets.some((pet) => pet.id === id)).toBe(false)
    await workerd.kill()
    expect((await call(fetch, 'GET', '/export?namespace=w1')).body.pets).toEqual(pets)
  })

  it('keeps acknowledged changes and refusals, and may lose the reads of the last 100 ms', async () => {
    const fetch = workerd.at({})
    // On a busy machine, a window could end between the requests.
    await call(fetch, 'POST', '/clock?namespace=w1', { frozen: true })
    for (let n = 0; n < 60; n++) await list(fetch, 'psk_free.w1')
    const id = await create(fetch, 'psk_pro.w1')
    await workerd.kill()
    const response = await list(fetch, 'psk_free.w1')
    expect(response.status).toBe(429)
    expect((await call(fetch, 'GET', '/export?namespace=w1')).body.pets.at(-1).id).toBe(id)
    for (let n = 0; n < 60; n++) await list(fetch, 'psk_free.w1')
    await workerd.kill()
    const { body } = await call(fetch, 'GET', '/requests?namespace=w1&limit=1')
    // A refusal with a ban is stored before it is sent.
    expect(body[0].decision).toBe('refused:ban')
  })

  it('keeps a history of 1,000 requests, and can be rewound to its beginning and back', async () => {
    const fetch = workerd.at(BUSY)
    await call(fetch, 'POST', '/clock?namespace=w1', { frozen: true })
    const order = [...Array(1200).keys()]
    for (let at = 0; at < order.length; at += 50)
      await Promise.all(order.slice(at, at + 50).map((n) => (n % 4 ? list : create)(fetch, 'psk_pro.w1')))
    const before = await stateOf(fetch, 'w1')
    await workerd.kill()
    expect(await stateOf(fetch, 'w1')).toEqual(before)
    const [oldest] = before[1] as { id: string }[]
    const rewound = await call(fetch, 'POST', '/rewind?namespace=w1', { to: oldest?.id })
    expect(rewound.status).toBe(200)
    for (let at = 0; at < 900; at += 50)
      await Promise.all(order.slice(0, 50).map(() => list(fetch, 'psk_pro.w1')))
    const then = await stateOf(fetch, 'w1')
    // A rewind to before the first stored command is stored as a checkpoint, without the history before it.
    await workerd.kill()
    expect((await stateOf(fetch, 'w1'))[3]).toEqual(then[3])
    await call(fetch, 'POST', '/rewind?namespace=w1', { to: (then[1] as { id: string }[]).at(-1)?.id })
    expect((await call(fetch, 'POST', '/rewind?namespace=w1', { undo: true })).status).toBe(200)
    const pets = (await call(fetch, 'GET', '/export?namespace=w1')).body
    await create(fetch, 'psk_pro.w1')
    await workerd.kill()
    const again = (await call(fetch, 'GET', '/export?namespace=w1')).body
    expect(again.pets).toEqual([...pets.pets, { id: pets.nextId, name: 'Kit', categoryId: 1 }])
  })

  it('keeps its history after a snapshot from before its stored commands was replaced or deleted', async () => {
    const fetch = workerd.at(BUSY)
    for (const name of ['one', 'two']) await call(fetch, 'PUT', `/snapshots/${name}?namespace=w1`)
    const headers = { authorization: 'Bearer psk_pro.w1', 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 7, note: 'x'.repeat(90_000) })
    // A checkpoint is stored after 4 MiB of commands, and the two newest ones are kept.
    for (let n = 0; n < 100; n++) await fetch('/v1/pets', { method: 'POST', headers, body })
    await call(fetch, 'PUT', '/snapshots/one?namespace=w1')
    await call(fetch, 'DELETE', '/snapshots/two?namespace=w1')
    const historyOf = async () => (await call(fetch, 'GET', '/history?namespace=w1')).body as object[]
    const before = await historyOf()
    await fetch('/__evict/w1')
    const after = await historyOf()
    expect(after.length).toBeGreaterThan(40)
    expect(after).toEqual(before.slice(-after.length))
  })

  it('shows its own address in documents and recordings', async () => {
    const fetch = workerd.at(EVERY)
    await list(fetch, 'psk_pro.w7')
    const headers = { host: 'localhost:1234' }
    const document = (await (await fetch('/openapi.json', { headers })).json()) as object
    expect(document).toMatchObject({ servers: [{ url: 'http://localhost:1234/v1' }] })
    const recording = await (await fetch('/_sandbox/recording?namespace=w7', { headers })).text()
    expect(JSON.parse(recording.split('\n')[0] as string)).toMatchObject({ origin: 'http://localhost:1234' })
    await call(fetch, 'DELETE', '/namespaces/w7')
  })

  it('lists a namespace after one read, which is stored later', async () => {
    const fetch = workerd.at({})
    await list(fetch, 'psk_pro.once')
    const { body } = await call(fetch, 'GET', '/namespaces')
    expect(body.map(({ name }: { name: string }) => name)).toContain('once')
    await call(fetch, 'DELETE', '/namespaces/once')
  })

  it('lists a namespace after a request during which the list could not be reached', async () => {
    const fetch = workerd.at(EVERY)
    await fetch('/__failToList/default')
    expect((await list(fetch, 'psk_pro.w1')).status).toBe(503)
    expect((await list(fetch, 'psk_pro.w1')).status).toBe(200)
    const { body } = await call(fetch, 'GET', '/namespaces')
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['default', 'w1'])
  })

  it('is opened again by the next request after its storage failed', async () => {
    const fetch = workerd.at(EVERY)
    await create(fetch, 'psk_pro.w1')
    await fetch('/__failToOpen/w1')
    expect((await list(fetch, 'psk_pro.w1')).status).toBe(503)
    expect((await list(fetch, 'psk_pro.w1')).status).toBe(200)
  })

  it('lists, forks and drops namespaces that are separate objects', async () => {
    const fetch = workerd.at(EVERY)
    const names = async () =>
      (await call(fetch, 'GET', '/namespaces')).body.map(({ name }: { name: string }) => name)
    await call(fetch, 'GET', '/export?namespace=w2')
    expect(await names()).toEqual(['default'])
    const id = await create(fetch, 'psk_pro.w1')
    for (let n = 0; n < 3; n++) await list(fetch, 'psk_free.w1')
    expect(await call(fetch, 'POST', '/fork?namespace=w1', { into: 'w2' })).toMatchObject({ status: 201 })
    expect(await names()).toEqual(['default', 'w1', 'w2'])
    for (const [method, name] of [
      ['GET', 'w1'],
      ['HEAD', 'w1'],
      ['GET', 'new'],
      ['HEAD', 'new'],
    ]) {
      const response = await fetch(`/_sandbox/namespaces?namespace=${name}`, { method })
      const { length } = method === 'GET' ? ((await response.json()) as unknown[]) : [1, 2, 3]
      const isNew = name === 'new' ? 'new' : null
      expect([length, response.headers.get('x-sandbox-namespace')], `${method} ${name}`).toEqual([3, isNew])
    }
    expect((await call(fetch, 'GET', '/export?namespace=w2')).body.pets.at(-1).id).toBe(id)
    expect((await list(fetch, 'psk_free.w2')).headers.get('x-ratelimit-remaining')).toBe('56')
    expect(await call(fetch, 'POST', '/fork?namespace=w1', { into: 'w2' })).toMatchObject({ status: 409 })
    const refused = await fetch('/_sandbox/fork?namespace=w1', { method: 'POST', body: '{"into":"w2"}' })
    expect([refused.status, refused.headers.get('x-content-type-options')]).toEqual([409, 'nosniff'])
    // In the same order as in Node: the point is looked up first.
    const unknown = { into: 'w2', at: 'req_000099' }
    expect(await call(fetch, 'POST', '/fork?namespace=w1', unknown)).toMatchObject({ status: 404 })
    expect((await call(fetch, 'DELETE', '/namespaces/w%32')).status).toBe(204)
    expect(await names()).toEqual(['default', 'w1'])
    expect((await call(fetch, 'GET', '/export?namespace=w2')).body.pets).toHaveLength(12)
    await workerd.kill()
    expect(await names()).toEqual(['default', 'w1'])
    expect((await call(fetch, 'GET', '/export?namespace=w1')).body.pets.at(-1).id).toBe(id)
  })

  it('makes several forks at once, also of a point after requests that were late', async () => {
    const fetch = workerd.at(EVERY)
    await call(fetch, 'POST', '/faults?namespace=w1', { effect: { latency: '1ms' } })
    for (let n = 0; n < 5; n++) await create(fetch, 'psk_pro.w1')
    const names = ['copy1', 'copy2', 'copy3']
    const fork = (into: string) => call(fetch, 'POST', '/fork?namespace=w1', { into, at: 'req_000004' })
    expect((await Promise.all(names.map(fork))).map(({ status }) => status)).toEqual([201, 201, 201])
    for (const name of names) {
      expect((await call(fetch, 'GET', `/export?namespace=${name}`)).body.pets).toHaveLength(16)
      await call(fetch, 'DELETE', `/namespaces/${name}`)
    }
  })

  it('answers the requests that wait behind late ones while the namespace is dropped, and keeps their pets', async () => {
    const fetch = workerd.at(BUSY)
    const json = { name: 'Kit', categoryId: 1 }
    const headers = { authorization: 'Bearer psk_pro.w1', 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(json) }
    const creates = (length: number) =>
      Array.from({ length }, async () => (await fetch('/v1/pets', init)).text())
    for (const [latency, wait] of [
      ['1ms-400ms', 10],
      ['1ms-400ms', 30],
      // All are late at once.
      ['300ms', 290],
      ['300ms', 320],
    ] as const) {
      await call(fetch, 'POST', '/faults?namespace=w1', { effect: { latency } })
      const before = creates(200)
      await new Promise((resolve) => setTimeout(resolve, wait))
      const dropped = call(fetch, 'DELETE', '/namespaces/w1')
      const labelled = call(fetch, 'PUT', '/label?namespace=w1', { label: 'a test' })
      const answers = await Promise.all([...before, ...creates(100)])
      expect([(await dropped).status, (await labelled).status]).toEqual([204, 200])
      // Requests in progress were refused because the namespace was dropped, not because it was opened again.
      expect(answers.find((text) => text.includes('opened again'))).toBeUndefined()
      const { pets } = (await call(fetch, 'GET', '/export?namespace=w1')).body
      const kept = pets.map(({ id }: { id: number }) => id)
      const made = answers.map((text) => JSON.parse(text).id).filter((id) => id !== undefined)
      // An id was given at most once before the drop, and once after it.
      expect(made.filter((id, i) => made.indexOf(id) < i && !kept.includes(id))).toEqual([])
    }
    const pets = (await call(fetch, 'GET', '/export?namespace=w1')).body
    await workerd.kill()
    expect((await call(fetch, 'GET', '/export?namespace=w1')).body).toEqual(pets)
  })

  it('refuses a call that was prepared while the namespace was dropped', async () => {
    const fetch = workerd.at(BUSY)
    const droppedAfter = async (wait: number) => {
      await create(fetch, 'psk_pro.w1')
      const seeded = call(fetch, 'POST', '/seed?namespace=w1', { count: 60_000, seed: 7 })
      await new Promise((resolve) => setTimeout(resolve, wait))
      expect((await call(fetch, 'DELETE', '/namespaces/w1')).status).toBe(204)
      return seeded
    }
    // When the call is prepared depends on the machine.
    let answer = await droppedAfter(25)
    for (let wait = 50; answer.status !== 503 && wait < 10_000; wait *= 2) answer = await droppedAfter(wait)
    expect(answer).toMatchObject({ status: 503, body: { message: expect.stringContaining('meanwhile') } })
    expect((await call(fetch, 'GET', '/export?namespace=w1')).body.pets).toHaveLength(12)
  })

  it('accepts keys that were issued in default, also after an eviction', async () => {
    const fetch = workerd.at(EVERY)
    await create(fetch, 'psk_pro.w1')
    const { body } = await call(fetch, 'POST', '/keys', { plan: 'business' })
    const all = await Promise.all(Array.from({ length: 5 }, () => list(fetch, `${body.key}.w1`)))
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    await fetch('/__evict/w1')
    expect((await list(fetch, `${body.key}.w1`)).headers.get('x-ratelimit-remaining')).toBe('994')
    await call(fetch, 'DELETE', '/namespaces/w1')
    expect((await list(fetch, `${body.key}.w1`)).status).toBe(200)
    // They wait while the namespace is dropped.
    const creates = (length: number) => Array.from({ length }, () => create(fetch, `${body.key}.w1`))
    for (let n = 0; n < 5; n++) {
      const made = [...creates(10), call(fetch, 'DELETE', '/namespaces/w1'), ...creates(30)]
      expect(await Promise.all(made)).not.toContain(undefined)
    }
  })

  it('stores nothing for a read, even if the keys of default have changed', async () => {
    const fetch = workerd.at(EVERY)
    await call(fetch, 'GET', '/export?namespace=w1')
    await call(fetch, 'POST', '/keys', { plan: 'business', key: 'psk_mine' })
    const { body } = await call(fetch, 'GET', '/keys?namespace=w1')
    expect(body).toContainEqual(expect.objectContaining({ key: 'psk_mine' }))
    expect(await (await fetch('/__tables/w1')).json()).toBe(0)
    // The keys in force are stored with the first request.
    expect((await list(fetch, 'psk_mine.w1')).status).toBe(200)
    await fetch('/__evict/w1')
    expect((await list(fetch, 'psk_mine.w1')).headers.get('x-ratelimit-remaining')).toBe('998')
  })

  it('is the target of a fork unless it has changed', async () => {
    const fetch = workerd.at({})
    const id = await create(fetch, 'psk_pro.w1')
    const refused = await call(fetch, 'POST', '/snapshots/none/restore?namespace=w2')
    expect(refused.status).toBe(404)
    expect(await call(fetch, 'POST', '/fork?namespace=w1', { into: 'w2' })).toMatchObject({ status: 201 })
    await workerd.kill()
    expect((await call(fetch, 'GET', '/export?namespace=w2')).body.pets.at(-1).id).toBe(id)
    await fetch('/__empty/w2')
    // A read is stored up to 100 ms after its answer.
    await list(fetch, 'psk_pro.w2')
    expect(await call(fetch, 'POST', '/fork?namespace=w1', { into: 'w2' })).toMatchObject({ status: 409 })
  })

  it('serves the document of the given namespace, and answers a preflight like default', async () => {
    const fetch = workerd.at(EVERY)
    await call(fetch, 'POST', '/clock?namespace=w1', { set: '2030-12-05T00:00:00Z' })
    const paths = async (target: string, key: string) => {
      const response = await fetch(target, { headers: { authorization: `Bearer ${key}` } })
      return Object.keys(((await response.json()) as { paths: object }).paths)
    }
    expect(await paths('/openapi.json?namespace=w1', 'psk_pro')).not.toContain('/pets/{petId}')
    expect((await fetch('/openapi.json?namespace=w1')).headers.get('date')).toMatch('05 Dec 2030')
    expect(await paths('/openapi.json?namespace=w2', 'psk_pro.w1')).toContain('/pets/{petId}')
    expect(await paths('/openapi.json', 'psk_pro.w1')).not.toContain('/pets/{petId}')
    const id = async (key: string) =>
      (
        await fetch('/v1/pets', { method: 'OPTIONS', headers: { authorization: `Bearer ${key}` } })
      ).headers.get('x-request-id')
    expect([await id('psk_pro'), await id('psk_pro.w1')]).toEqual(['req_000001', 'req_000002'])
  })

  it('answers a path outside of the API like default, and has it in the journal of default', async () => {
    const fetch = workerd.at(EVERY)
    const outside = await fetch('/pets', { headers: { authorization: 'Bearer psk_pro.w1' } })
    expect([outside.status, outside.headers.get('x-request-id')]).toEqual([404, 'req_000001'])
    expect((await call(fetch, 'GET', '/requests')).body).toMatchObject([{ path: '/pets', status: 404 }])
    for (const target of ['//', '//x/_sandbox/events?namespace=*'])
      expect((await fetch(target)).status).toBe(404)
  })

  it('says that a stored state cannot be read, keeps it, and drops it when asked to', async () => {
    const fetch = workerd.at(GUARDED)
    const send = (method: string, path: string, token = GUARDED.controlToken, body?: string) =>
      fetch(path, { method, headers: { authorization: `Bearer ${token}` }, ...(body && { body }) })
    for (const name of ['default', 'w1']) {
      const suffix = name === 'w1' ? '.w1' : ''
      await create(fetch, `psk_pro${suffix}`)
      await fetch(`/__damage/${name}`)
      await fetch(`/__evict/${name}`)
      for (const response of [
        await send('GET', '/v1/pets', `psk_pro${suffix}`),
        await send('GET', '/_sandbox/report?namespace=*'),
        await send('DELETE', `/_sandbox/namespaces/${name}`, 'another-token'),
        await send('DELETE', `/_sandbox/namespaces/${name}?unknown=1`),
        await send('DELETE', `/_sandbox/namespaces/${name}`, GUARDED.controlToken, '{"pets":1}'),
        await send('GET', '/v1/pets', `psk_pro${suffix}`),
      ])
        expect([response.status, (await response.json()) as object]).toMatchObject([
          500,
          {
            code: 'internal_error',
            message: expect.stringContaining(
              `The stored state of the namespace ${name} cannot be read: It is not a recording. It stays as it is. Deploy`,
            ),
          },
        ])
      const drop = `/_sandbox/namespaces/${name}?namespace=w1&namespace=w2`
      expect((await send('DELETE', drop, GUARDED.controlToken, '{}')).status).toBe(204)
      const left = (await (await send('GET', '/_sandbox/namespaces')).json()) as object
      expect(left).toMatchObject([{ name: 'default', pets: 12 }])
      const pets = (await send('GET', '/v1/pets', `psk_pro${suffix}`)).json()
      expect(await pets).toHaveLength(12)
    }
    await send('DELETE', '/_sandbox/namespaces/w1')
  })

  it('answers HEAD with 503 behind a wire fault, with the header fields of every response', async () => {
    const fetch = workerd.at(EVERY)
    const headers = { authorization: 'Bearer psk_free.wires' }
    for (const [wire, when] of [
      ['reset', 'before'],
      ['truncate', 'after'],
    ]) {
      await call(fetch, 'POST', '/faults?namespace=wires', { effect: { wire }, when, times: 2 })
      const head = await fetch('/v1/pets', { method: 'HEAD', headers })
      expect(head.status).toBe(503)
      const names = [
        'x-request-id',
        'x-ratelimit-limit',
        'x-ratelimit-remaining',
        'x-ratelimit-reset',
        'retry-after',
      ]
      expect(names.filter((name) => !head.headers.has(name))).toEqual([])
      await expect(fetch('/v1/pets', { headers }).then((response) => response.text())).rejects.toThrow()
    }
  })

  it('sends a refused request without a body again', async () => {
    const fetch = workerd.at(EVERY)
    await fetch('/v1/pets', { method: 'POST', headers: { authorization: 'Bearer psk_none.w1' } })
    expect((await call(fetch, 'GET', '/requests?namespace=w1')).body[0].request).toMatchObject({ body: '' })
    const resent = await call(fetch, 'POST', '/requests/req_000001/resend?namespace=w1')
    expect(resent).toMatchObject({ status: 200, body: { status: 401 } })
  })

  it('counts answered requests, not commands that it applies again', async () => {
    const fetch = workerd.at(EVERY)
    const metrics = async () => (await fetch('/_sandbox/metrics?namespace=w1')).text()
    for (let n = 0; n < 3; n++) await list(fetch, 'psk_free.w1')
    expect(await metrics()).toContain('petstore_requests_total{operation="listPets",status="200"} 3\n')
    expect(await metrics()).toContain('petstore_worlds 1\n')
    await fetch('/__evict/w1')
    expect(await metrics()).not.toContain('petstore_requests_total{')
  })

  it('sends spans of answered requests, not of commands that it applies again', async () => {
    const collector = await startCollector()
    const traced = { ...EVERY, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: 20 }
    const own = await startWorkerd([traced], join(folder, 'traced'))
    try {
      const fetch = own.at(traced)
      await create(fetch, 'psk_pro.w1')
      await collector.until(1)
      await fetch('/__evict/w1')
      await list(fetch, 'psk_free.w1')
      const found = await collector.until(2)
      expect(found.map(({ name }) => name)).toEqual(['POST /v1/pets', 'GET /v1/pets'])
      expect(found[0]?.values).toMatchObject({ 'petstore.namespace': 'w1', 'server.address': 'localhost' })
      expect(JSON.stringify(found)).not.toMatch(/psk_\w/)
    } finally {
      await own.close()
      await collector.close()
    }
  })

  it('returns errors for calls that one object cannot answer alone', async () => {
    const fetch = workerd.at(EVERY)
    await list(fetch, 'psk_free.w1')
    const again = '/requests/req_000001/resend?namespace=w1'
    for (const [method, path, json] of [
      ['GET', '/events?namespace=*'],
      ['GET', '/report?namespace=*&by=test'],
      ['POST', again, { into: 'default' }],
      ['POST', again, { edits: { headers: { Authorization: 'Bearer psk_pro.w2' } } }],
      ['POST', '/fork?namespace=w1', { into: 'default' }],
    ] as const)
      expect(await call(fetch, method, path, json), path).toMatchObject({
        status: 501,
        body: { code: 'not_implemented', message: expect.stringContaining('Durable Object') },
      })
    // Elsewhere these are parameters like every other.
    expect((await list(fetch, 'psk_pro', '&namespace=*&by=test')).status).toBe(200)
    expect((await call(fetch, 'DELETE', '/report?namespace=*&by=test')).status).toBe(405)
    for (const json of [{}, { into: 'w1' }, { edits: { headers: { authorization: 'Bearer psk_pro.w1' } } }])
      expect(await call(fetch, 'POST', again, json)).toMatchObject({ status: 200 })
  })

  it('reads and compares several namespaces, if the client may', async () => {
    const fetch = workerd.at(EVERY)
    await list(fetch, 'psk_free.w1')
    await create(fetch, 'psk_pro.w2')
    await list(fetch, 'psk_pro')
    const report = await call(fetch, 'GET', '/report?namespace=*')
    expect(report.body).toMatchObject({
      requests: 3,
      coverage: { listPets: { 200: 2 }, createPet: { 201: 1 } },
    })
    const entries = await call(fetch, 'GET', '/requests?namespace=*&limit=2')
    expect(entries.body.map((entry: { namespace: string }) => entry.namespace)).toEqual(['w2', 'default'])
    const har = await fetch('/_sandbox/requests?namespace=*', { headers: { accept: 'application/har+json' } })
    expect(har.headers.get('content-type')).toBe('application/har+json')
    expect(((await har.json()) as { log: { entries: unknown[] } }).log.entries).toHaveLength(3)
    const { body: diff } = await call(fetch, 'GET', '/diff?namespace=w1&a=now&b=namespace:w2')
    expect(diff).toMatchObject({ added: { count: 1, first: [{ name: 'Kit' }] }, removed: { count: 0 } })
    const mark = async (path: string) => (await fetch(`/_sandbox${path}`)).headers.get('x-sandbox-namespace')
    expect(await mark('/diff?namespace=w9&a=now&b=namespace:w2')).toBe('new')
    expect(await mark('/diff?namespace=w1&a=now&b=namespace:w2')).toBeNull()
    const head = await fetch('/_sandbox/diff?a=now&b=namespace:w2', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    for (const path of ['/diff?a=now&b=namespace:w9', '/state?of=namespace:w9'])
      expect(await call(fetch, 'GET', path), path).toMatchObject({ status: 404 })
    for (const path of ['/requests?namespace=*&limit=x', '/state?of=namespace:..%2Fw1'])
      expect(await call(fetch, 'GET', path), path).toMatchObject({ status: 400 })
    for (const path of ['/report?namespace=*', '/diff?a=now&b=namespace:w1', '/namespaces'])
      expect((await workerd.at(GUARDED)(`/_sandbox${path}`)).status, path).toBe(401)
  })

  it('bounds the bodies that arrive at the same time by the memory of an isolate', async () => {
    const body = `{"pets":[]${' '.repeat(15 * 1024 * 1024)}}`
    const seed = async (name: string) => {
      const headers = { 'content-type': 'application/json' }
      const path = `/_sandbox/seed?namespace=${name}`
      const response = await workerd.at(EVERY)(path, { method: 'POST', headers, body })
      return response.status === 503
        ? ((await response.json()) as { message: string }).message
        : response.status
    }
    const found = await Promise.all(Array.from({ length: 5 }, (_, i) => seed(`body-${i}`)))
    const cutOff =
      'The body was cut off: the bodies of all requests take more than 32 MiB; send fewer at a time.'
    expect(new Set(found)).toEqual(new Set([200, cutOff]))
    expect(await seed('body-0')).toBe(200)
  })

  it('bounds pets and snapshots by the memory of an isolate, and applies a large generated seed again', async () => {
    const fetch = workerd.at(EVERY)
    const seeded = await call(fetch, 'POST', '/seed?namespace=w1', { count: 60_000, seed: 7 })
    expect(seeded).toMatchObject({ status: 200 })
    const pets = (await call(fetch, 'GET', '/export?namespace=w1')).body
    const tooMany = await call(fetch, 'POST', '/seed?namespace=w1', { count: 200_000, seed: 8 })
    expect([tooMany.status, tooMany.body.message]).toEqual([
      503,
      expect.stringContaining('has room for about 100,000 pets'),
    ])
    expect((await call(fetch, 'PUT', '/snapshots/one?namespace=w1')).status).toBe(201)
    expect((await call(fetch, 'PUT', '/snapshots/one?namespace=w1')).status).toBe(200)
    expect(await call(fetch, 'PUT', '/snapshots/two?namespace=w1')).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('at most 100,000 pets together') },
    })
    await fetch('/__evict/w1')
    expect((await call(fetch, 'GET', '/export?namespace=w1')).body).toEqual(pets)
    expect((await call(fetch, 'GET', '/snapshots?namespace=w1')).body).toHaveLength(1)
  })

  it('stores at most about 8 MiB of commands, also if it is evicted after each of them', async () => {
    const fetch = workerd.at(EVERY)
    const name = 'x'.repeat(1000)
    const pets = Array.from({ length: 1000 }, (_, i) => ({ id: i + 1, name, categoryId: 1 }))
    for (let n = 0; n < 11; n++) {
      expect((await call(fetch, 'POST', '/seed?namespace=w1', { pets })).status).toBe(200)
      await fetch('/__evict/w1')
    }
    expect(await (await fetch('/__stored/w1')).json()).toBeLessThan(9 * 1024 * 1024)
    expect((await call(fetch, 'GET', '/export?namespace=w1')).body.pets).toHaveLength(1000)
  })

  it('ends the streams and waiting requests of an evicted object, and serves the next ones', async () => {
    const fetch = workerd.at(EVERY)
    await create(fetch, 'psk_pro.w1')
    const hold = { until: 'released', timeout: '60s' }
    await call(fetch, 'POST', '/faults?namespace=w1', { match: {}, effect: { hold }, times: 1 })
    const held = list(fetch, 'psk_pro.w1').then(
      ({ status }) => status,
      () => 'ended',
    )
    const events = fetch('/_sandbox/events?namespace=w1').then(
      () => 'ended',
      () => 'ended',
    )
    await untilHeld(fetch)
    await fetch('/__evict/w1')
    expect(await Promise.all([held, events])).toEqual([503, 'ended'])
    expect((await call(fetch, 'GET', '/export?namespace=w1')).body.pets).toHaveLength(13)
    expect((await list(fetch, 'psk_free.w1')).status).toBe(200)
  })

  it('continues a request that was held when its object ended, and answers the next one', async () => {
    const fetch = workerd.at(EVERY)
    // Long enough to be seen on a busy machine.
    const effect = { hold: { until: 'released', timeout: '4s' } }
    await call(fetch, 'POST', '/faults?namespace=w1', { match: { method: 'POST' }, effect })
    const lost = create(fetch, 'psk_pro.w1')
    await untilHeld(fetch)
    await fetch('/__evict/w1')
    await lost
    expect(await create(fetch, 'psk_pro.w1')).toBe(14)
  })

  it('drops a namespace that was unused for the time of --expire', async () => {
    const fetch = workerd.at(SHORT)
    await create(fetch, 'psk_pro.w1')
    await call(fetch, 'GET', '/export?namespace=w2')
    await create(fetch, 'psk_pro')
    const names = async () =>
      (await call(fetch, 'GET', '/namespaces')).body.map(({ name }: { name: string }) => name)
    // On a busy machine it may have expired before the list is read.
    const namesAfterUse = async () => {
      await list(fetch, 'psk_pro.w1')
      return names()
    }
    await expect.poll(namesAfterUse).toEqual(['default', 'w1'])
    await expect.poll(names, { interval: 200 }).toEqual(['default'])
    expect((await call(fetch, 'GET', '/export')).body.pets).toHaveLength(13)
    expect((await call(fetch, 'GET', '/export?namespace=w1')).body.pets).toHaveLength(12)
  })

  it('drops an unused namespace after the time of --expire, even if its stored state cannot be read', async () => {
    const fetch = workerd.at(SHORT)
    const tables = async () => (await fetch('/__tables/w4')).text()
    // On a busy machine it may have expired before it is damaged.
    const tablesOfDamaged = async () => {
      await create(fetch, 'psk_pro.w4')
      await fetch('/__damage/w4')
      await fetch('/__evict/w4')
      return tables()
    }
    await expect.poll(tablesOfDamaged).toBe('2')
    await expect.poll(tables, { interval: 200 }).toBe('0')
  })

  it('does not expire while a request is in progress', async () => {
    const fetch = workerd.at(SHORT)
    const slow = { match: { operationId: 'createPet' }, effect: { latency: '1500ms' }, times: 1 }
    await call(fetch, 'POST', '/faults?namespace=w3', slow)
    // A request in progress is refused with 503 by a drop.
    expect(await create(fetch, 'psk_pro.w3')).toBe(13)
  })

  it('keeps the keys in a recording with --keep-keys, also after an eviction', async () => {
    const fetch = workerd.at(KEPT)
    const { key } = (await call(fetch, 'POST', '/keys', { plan: 'pro' })).body
    await list(fetch, key)
    const recording = async () => (await fetch('/_sandbox/recording')).text()
    expect(await recording()).toContain(key)
    await workerd.at(KEPT)('/__evict/default')
    expect(await recording()).toContain(key)
  })

  it('requires its control token, and without one answers only this machine', async () => {
    expect((await workerd.at(GUARDED)('/_sandbox/health')).status).toBe(401)
    const headers = { authorization: `Bearer ${GUARDED.controlToken}` }
    expect((await workerd.at(GUARDED)('/_sandbox/health', { headers })).status).toBe(200)
    const proxied = await workerd.at({})('/_sandbox/health', {
      headers: { 'x-forwarded-for': '203.0.113.7' },
    })
    expect(proxied.status).toBe(403)
  })
})
