import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { SandboxFetch } from '../../src/web/fetch.ts'
import { startCollector } from '../support/collector.ts'
import { temporaryFolder } from '../support/folder.ts'
import { hasWorkerd, startWorkerd, type Workerd } from '../support/workerd.ts'

const EVERY = { decisions: { 'durable.log': 'every' } }
const GUARDED = { controlToken: 'a-long-control-token' }
const SHORT = { ...EVERY, expire: '1s' }
const BUSY = { ...EVERY, limits: { pro: 'unlimited/unlimited' } }

const list = (fetch: SandboxFetch, key: string) =>
  fetch('/v1/pets?limit=1', { headers: { authorization: `Bearer ${key}` } })

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

/** Everything that one can see of a namespace. */
async function seen(fetch: SandboxFetch, namespace: string) {
  const looks = [
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
    looks.map(async (path) => (await call(fetch, 'GET', `/${path}namespace=${namespace}`)).body),
  )
}

describe.skipIf(!hasWorkerd)('a world in workerd', () => {
  const folder = temporaryFolder()
  let workerd: Workerd
  beforeAll(async () => {
    workerd = await startWorkerd([{}, EVERY, GUARDED, BUSY, SHORT], folder)
  }, 60_000)
  afterAll(() => workerd.close())
  afterEach(async () => {
    for (const options of [{}, EVERY, BUSY])
      for (const name of ['default', 'w1', 'w2']) await workerd.at(options)(`/__empty/${name}`)
  })

  it('is as it was after its process was killed: limits, bans, clock, journal, history, faults', async () => {
    const fetch = workerd.at(EVERY)
    await call(fetch, 'POST', '/clock?namespace=w1', { set: '2030-01-01T00:00:00Z', frozen: true })
    for (let n = 0; n < 5; n++) await list(fetch, 'psk_free.w1')
    const id = await create(fetch, 'psk_pro.w1')
    await call(fetch, 'POST', '/faults?namespace=w1', { match: {}, effect: { status: 503 }, times: 3 })
    await list(fetch, 'psk_pro.w1')
    await call(fetch, 'PUT', '/keys/psk_business/ban?namespace=w1', { seconds: 60 })
    await call(fetch, 'PUT', '/snapshots/before?namespace=w1')
    const before = await seen(fetch, 'w1')
    await workerd.kill()
    expect(await seen(fetch, 'w1')).toEqual(before)
    const { status } = await call(fetch, 'POST', '/rewind?namespace=w1', { to: 'req_000006' })
    expect(status).toBe(200)
    const pets = (await call(fetch, 'GET', '/export?namespace=w1')).body.pets as { id: number }[]
    expect(pets.some((pet) => pet.id === id)).toBe(false)
    await workerd.kill()
    expect((await call(fetch, 'GET', '/export?namespace=w1')).body.pets).toEqual(pets)
  })

  it('keeps what is acknowledged and refuses as before, and may forget the reads of the last 100 ms', async () => {
    const fetch = workerd.at({})
    for (let n = 0; n < 60; n++) await list(fetch, 'psk_free.w1')
    const id = await create(fetch, 'psk_pro.w1')
    await workerd.kill()
    const response = await list(fetch, 'psk_free.w1')
    expect(response.status).toBe(429)
    expect((await call(fetch, 'GET', '/export?namespace=w1')).body.pets.at(-1).id).toBe(id)
    for (let n = 0; n < 60; n++) await list(fetch, 'psk_free.w1')
    await workerd.kill()
    const { body } = await call(fetch, 'GET', '/requests?namespace=w1&limit=1')
    // A refusal that bans is stored before it is sent.
    expect(body[0].decision).toBe('refused:ban')
  })

  it('has its history of 1,000 requests after more, and can be rewound to its beginning and back', async () => {
    const fetch = workerd.at(BUSY)
    await call(fetch, 'POST', '/clock?namespace=w1', { frozen: true })
    const order = [...Array(1200).keys()]
    for (let at = 0; at < order.length; at += 50)
      await Promise.all(order.slice(at, at + 50).map((n) => (n % 4 ? list : create)(fetch, 'psk_pro.w1')))
    const before = await seen(fetch, 'w1')
    await workerd.kill()
    expect(await seen(fetch, 'w1')).toEqual(before)
    const [oldest] = before[1] as { id: string }[]
    const rewound = await call(fetch, 'POST', '/rewind?namespace=w1', { to: oldest?.id })
    expect(rewound.status).toBe(200)
    for (let at = 0; at < 900; at += 50)
      await Promise.all(order.slice(0, 50).map(() => list(fetch, 'psk_pro.w1')))
    const then = await seen(fetch, 'w1')
    // The state that is stored since knows nothing of what the rewind went back to.
    await workerd.kill()
    expect((await seen(fetch, 'w1'))[3]).toEqual(then[3])
    await call(fetch, 'POST', '/rewind?namespace=w1', { to: (then[1] as { id: string }[]).at(-1)?.id })
    expect((await call(fetch, 'POST', '/rewind?namespace=w1', { undo: true })).status).toBe(200)
    const pets = (await call(fetch, 'GET', '/export?namespace=w1')).body
    await create(fetch, 'psk_pro.w1')
    await workerd.kill()
    const again = (await call(fetch, 'GET', '/export?namespace=w1')).body
    expect(again.pets).toEqual([...pets.pets, { id: pets.nextId, name: 'Kit', categoryId: 1 }])
  }, 60_000)

  it('lists, forks and drops namespaces that are objects of their own', async () => {
    const fetch = workerd.at(EVERY)
    const names = async () =>
      (await call(fetch, 'GET', '/namespaces')).body.map(({ name }: { name: string }) => name)
    await call(fetch, 'GET', '/export?namespace=w2')
    expect(await names()).toEqual(['default'])
    const id = await create(fetch, 'psk_pro.w1')
    for (let n = 0; n < 3; n++) await list(fetch, 'psk_free.w1')
    expect(await call(fetch, 'POST', '/fork?namespace=w1', { into: 'w2' })).toMatchObject({ status: 201 })
    expect(await names()).toEqual(['default', 'w1', 'w2'])
    expect((await call(fetch, 'GET', '/export?namespace=w2')).body.pets.at(-1).id).toBe(id)
    expect((await list(fetch, 'psk_free.w2')).headers.get('x-ratelimit-remaining')).toBe('56')
    expect(await call(fetch, 'POST', '/fork?namespace=w1', { into: 'w2' })).toMatchObject({ status: 409 })
    expect((await call(fetch, 'DELETE', '/namespaces/w2')).status).toBe(204)
    expect(await names()).toEqual(['default', 'w1'])
    expect((await call(fetch, 'GET', '/export?namespace=w2')).body.pets).toHaveLength(12)
    await workerd.kill()
    expect(await names()).toEqual(['default', 'w1'])
    expect((await call(fetch, 'GET', '/export?namespace=w1')).body.pets.at(-1).id).toBe(id)
  })

  it('takes keys that were issued in default, also after it was evicted', async () => {
    const fetch = workerd.at(EVERY)
    await create(fetch, 'psk_pro.w1')
    const { body } = await call(fetch, 'POST', '/keys', { plan: 'business' })
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect((await list(fetch, `${body.key}.w1`)).status).toBe(200)
    await fetch('/__evict/w1')
    expect((await list(fetch, `${body.key}.w1`)).headers.get('x-ratelimit-remaining')).toBe('998')
  })

  it('counts what it answers, and not what it applies again', async () => {
    const fetch = workerd.at(EVERY)
    const metrics = async () => (await fetch('/_sandbox/metrics?namespace=w1')).text()
    for (let n = 0; n < 3; n++) await list(fetch, 'psk_free.w1')
    expect(await metrics()).toContain('petstore_requests_total{operation="listPets",status="200"} 3\n')
    await fetch('/__evict/w1')
    expect(await metrics()).not.toContain('petstore_requests_total{')
  })

  it('sends spans of what it answers, and not of what it applies again', async () => {
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

  it('says what one world cannot do alone', async () => {
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
    for (const json of [{}, { into: 'w1' }, { edits: { headers: { authorization: 'Bearer psk_pro.w1' } } }])
      expect(await call(fetch, 'POST', again, json)).toMatchObject({ status: 200 })
  })

  it('reads and compares several worlds, for those who may', async () => {
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
    for (const path of ['/diff?a=now&b=namespace:w9', '/state?of=namespace:w9'])
      expect(await call(fetch, 'GET', path), path).toMatchObject({ status: 404 })
    for (const path of ['/requests?namespace=*&limit=x', '/state?of=namespace:..%2Fw1'])
      expect(await call(fetch, 'GET', path), path).toMatchObject({ status: 400 })
    for (const path of ['/report?namespace=*', '/diff?a=now&b=namespace:w1', '/namespaces'])
      expect((await workerd.at(GUARDED)(`/_sandbox${path}`)).status, path).toBe(401)
  })

  it('has as many pets and snapshots as an isolate has room for, and many that were generated after it was made again', async () => {
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
  }, 120_000)

  it('ends the streams and the waiting requests of an object that goes, and serves the next ones', async () => {
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
    await new Promise((resolve) => setTimeout(resolve, 300))
    await fetch('/__evict/w1')
    expect(await Promise.all([held, events])).toEqual([503, 'ended'])
    expect((await call(fetch, 'GET', '/export?namespace=w1')).body.pets).toHaveLength(13)
    expect((await list(fetch, 'psk_free.w1')).status).toBe(200)
  })

  it('drops a world that nobody has used for as long as --expire says', async () => {
    const fetch = workerd.at(SHORT)
    await create(fetch, 'psk_pro.w1')
    await call(fetch, 'GET', '/export?namespace=w2')
    await create(fetch, 'psk_pro')
    const names = async () =>
      (await call(fetch, 'GET', '/namespaces')).body.map(({ name }: { name: string }) => name)
    expect(await names()).toEqual(['default', 'w1'])
    await vi.waitUntil(async () => (await names()).length === 1, { timeout: 20_000, interval: 200 })
    expect((await call(fetch, 'GET', '/export')).body.pets).toHaveLength(13)
    expect((await call(fetch, 'GET', '/export?namespace=w1')).body.pets).toHaveLength(12)
  })

  it('asks for its control token, and answers this machine only without one', async () => {
    expect((await workerd.at(GUARDED)('/_sandbox/health')).status).toBe(401)
    const headers = { authorization: `Bearer ${GUARDED.controlToken}` }
    expect((await workerd.at(GUARDED)('/_sandbox/health', { headers })).status).toBe(200)
    const proxied = await workerd.at({})('/_sandbox/health', {
      headers: { 'x-forwarded-for': '203.0.113.7' },
    })
    expect(proxied.status).toBe(403)
  })
})
