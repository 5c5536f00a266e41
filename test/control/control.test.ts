import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SandboxOptions } from '../../src/compose/sandbox.ts'
import { temporaryFolder } from '../support/folder.ts'
import { api, call, contract, FROZEN, sandbox, start as startSandbox } from './client.ts'

let folder: string | undefined
const start = (options: SandboxOptions = FROZEN) =>
  startSandbox({ ...(folder && { db: join(folder, 'db.json') }), ...options })

const idsOf = async (key = 'psk_pro'): Promise<number[]> => {
  const pets = (await (await api('/pets?limit=100', { key })).json()) as { id: number }[]
  return pets.map(({ id }) => id)
}
const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1)
const statusOf = async (key: string): Promise<number> => (await api('/pets', { key })).status
const create = (name: string, key = 'psk_pro') => api('/pets', { key, json: { name, categoryId: 1 } })

describe.each(['memory', 'file'])('with a store in %s', (store) => {
  beforeEach(async () => {
    folder = store === 'file' ? temporaryFolder() : undefined
    await start()
  })
  afterEach(async () => {
    await sandbox.close()
    folder = undefined
  })

  describe('seed', () => {
    it('generates pets with exact shares, the same ones for a seed', async () => {
      const shape = { count: 50, seed: 42, status: { available: 60, pending: 30, sold: 10 } }
      expect((await call('POST', '/seed', shape)).body).toEqual({ pets: 50 })
      const first = (await call('GET', '/export')).text
      const count = async (status: string) =>
        (await (await api(`/pets?limit=100&status=${status}`)).json()).length
      expect([await count('available'), await count('pending'), await count('sold')]).toEqual([30, 15, 5])
      await call('POST', '/seed?namespace=w1', shape)
      expect((await call('GET', '/export?namespace=w1')).text).toBe(first)
    })

    it('appends after the others, and never uses an id again', async () => {
      const pets = [
        { name: 'a', categoryId: 1 },
        { id: 20, name: 'b', categoryId: 1 },
        { name: 'c', categoryId: 1 },
      ]
      expect((await call('POST', '/seed', { pets, mode: 'append' })).body).toEqual({ pets: 15 })
      expect(await idsOf()).toEqual([...upTo(13), 20, 21])
      expect((await call('POST', '/seed', { fixture: 'default', mode: 'append' })).body).toEqual({ pets: 27 })
      expect((await idsOf()).slice(-2)).toEqual([32, 33])
      expect((await call('POST', '/seed', { count: 3, mode: 'append' })).body).toEqual({ pets: 30 })
      await start()
      if (store === 'file') expect(await idsOf()).toEqual([...upTo(13), ...upTo(36).slice(19)])
    })

    it('is atomic, and names every problem', async () => {
      const pets = [
        { name: 'a', categoryId: 1 },
        { name: 'b', categoryId: 1, status: 'lost' },
        { id: 5, categoryId: '1', colour: 'red' },
        { id: 5, name: 'd', categoryId: 1 },
      ]
      const before = (await call('GET', '/export')).text
      for (const mode of ['replace', 'append']) {
        const { status, body } = await call('POST', '/seed', { pets, mode })
        expect(status).toBe(400)
        expect(body.code).toBe('invalid_body')
        for (const place of [
          'pets[1].status',
          'pets[2].name',
          'pets[2].categoryId',
          'pets[2].colour',
          'pets[3].id',
        ]) {
          expect(body.message).toContain(place)
        }
      }
      const taken = await call('POST', '/seed', {
        pets: [{ id: 3, name: 'x', categoryId: 1 }],
        mode: 'append',
      })
      expect(taken.status).toBe(400)
      expect((await call('GET', '/export')).text).toBe(before)
      expect(await (await create('next')).json()).toMatchObject({ id: 13 })
    })

    it('keeps every digit', async () => {
      const text = '{"pets":[{"id":9007199254740993,"name":"big","categoryId":-9223372036854775808}]}'
      await call('POST', '/seed', text)
      expect((await call('GET', '/export')).text).toBe(
        `${text.slice(0, -1)},"nextId":9007199254740994,"keys":[]}`,
      )
    })
  })

  describe('reset', () => {
    it('resets only the given parts, and by default all but keys', async () => {
      const disturb = async () => {
        await create('a')
        await call('POST', '/faults', { effect: { status: 500 }, times: 1 })
        await call('POST', '/clock', { advance: '1h' })
        await call('DELETE', '/keys/psk_business')
        await api('/pets', { key: 'psk_free' })
        await api('/pets', { key: 'psk_free' })
        await call('PUT', '/keys/psk_free/ban', { seconds: 60 })
      }
      const state = async () => {
        const limits = (await call('GET', '/keys/psk_free/limits')).body
        return {
          pets: (await call('GET', '/health')).body.pets !== 12,
          limits: limits.day.remaining !== 1000,
          bans: limits.ban !== null,
          clock: (await call('GET', '/clock')).body.now !== '2026-11-19T12:34:56.000Z',
          faults: (await call('GET', '/faults')).body.length > 0,
          requests:
            (await call('GET', '/report')).body.requests > 0 ||
            (await call('GET', '/requests')).body.length > 0,
          keys: (await call('GET', '/keys')).body.some(
            (key: { key: string; revoked: boolean }) => key.key === 'psk_business' && key.revoked,
          ),
        }
      }
      const all = {
        pets: true,
        limits: true,
        bans: true,
        clock: true,
        faults: true,
        requests: true,
        keys: true,
      }
      const none = { pets: false, limits: false, bans: false, clock: false, faults: false, requests: false }
      await disturb()
      expect(await state()).toEqual(all)
      // The clock is reset last, since that also resets windows and bans.
      for (const part of ['pets', 'limits', 'bans', 'faults', 'requests', 'keys'] as const) {
        await disturb()
        const { body } = await call('POST', '/reset', { only: [part] })
        expect(body.reset).toEqual([part])
        expect(await state(), part).toEqual({ ...all, [part]: false })
      }
      await disturb()
      await call('POST', '/reset', { only: ['clock'] })
      expect(await state()).toEqual({ ...all, clock: false, limits: false, bans: false })
      await disturb()
      await call('POST', '/reset', {})
      expect(await state()).toEqual({ ...none, keys: true })
    })
  })

  describe('snapshots and exports are fixtures', () => {
    it('restores pets, ids and keys', async () => {
      await create('kept')
      const issued = (await call('POST', '/keys', { plan: 'pro' })).body.key
      await call('DELETE', '/keys/psk_business')
      const before = (await call('GET', '/export')).text
      const saved = await call('PUT', '/snapshots/one')
      expect(saved.status).toBe(201)
      expect(saved.body).toEqual({ name: 'one', at: expect.any(String), pets: 13 })
      expect((await call('GET', '/snapshots')).body).toEqual([saved.body])
      expect((await call('GET', '/snapshots/one')).body).toEqual(saved.body)

      await create('gone')
      await call('POST', '/reset', { only: ['keys'] })
      expect([await statusOf(issued), await statusOf('psk_business')]).toEqual([401, 200])
      if (store === 'file') await start()
      expect((await call('POST', '/snapshots/one/restore')).body).toEqual(saved.body)
      expect((await call('GET', '/export')).text).toBe(before)
      expect([await statusOf(issued), await statusOf('psk_business')]).toEqual([200, 401])
      expect(await (await create('next')).json()).toMatchObject({ id: 14 })

      expect((await call('PUT', '/snapshots/one')).status).toBe(200)
      expect((await call('DELETE', '/snapshots/one')).status).toBe(204)
      for (const [method, path] of [
        ['GET', '/snapshots/one'],
        ['DELETE', '/snapshots/one'],
        ['POST', '/snapshots/one/restore'],
      ]) {
        expect((await call(method as string, path as string)).body.code).toBe('not_found')
      }
    })

    it('belong to their namespace, and have a plain name', async () => {
      await call('PUT', '/snapshots/one?namespace=w1')
      expect((await call('GET', '/snapshots')).body).toEqual([])
      expect((await call('PUT', '/snapshots/a%2F..%2Fb')).body.code).toBe('invalid_parameter')
      expect((await call('PUT', `/snapshots/${'a'.repeat(65)}`)).status).toBe(400)
    })

    it('an export can be seeded in another namespace', async () => {
      await create('Ünï 🐶 "x"')
      await call('DELETE', '/keys/psk_free')
      const { text } = await call('GET', '/export')
      expect((await call('POST', '/seed?namespace=w1', text)).body).toEqual({ pets: 13 })
      expect((await call('GET', '/export?namespace=w1')).text).toBe(text)
      expect(await statusOf('psk_free.w1')).toBe(401)
    })
  })

  describe('keys', () => {
    it('are issued for one namespace, with its name as their suffix', async () => {
      const { status, body } = await call('POST', '/keys?namespace=w1', { plan: 'business' })
      expect(status).toBe(201)
      expect(body).toEqual({
        key: expect.stringMatching(/^psk_business_[0-9A-Za-z]{24}\.w1$/),
        plan: 'business',
        expiresAt: null,
        source: 'issued',
        revoked: false,
      })
      expect([await statusOf(body.key), await statusOf(body.key.replace('.w1', ''))]).toEqual([200, 401])
      expect((await call('GET', '/keys?namespace=w1')).body).toContainEqual({
        ...body,
        name: expect.stringContaining('business'),
        limits: expect.objectContaining({ plan: 'business' }),
      })
      expect((await call('GET', '/keys')).body).not.toContainEqual(
        expect.objectContaining({ source: 'issued' }),
      )
      const bare = body.key.replace('.w1', '')
      expect((await call('GET', `/keys/${bare}/limits?namespace=w1`)).body.plan).toBe('business')
      expect((await call('DELETE', `/keys/${bare}?namespace=w1`)).status).toBe(204)
      expect(await statusOf(body.key)).toBe(401)
    })

    it('issued for default are valid everywhere; an inherited key is revoked in one namespace only', async () => {
      await call('POST', '/keys', { plan: 'pro', key: 'team' })
      expect([await statusOf('team'), await statusOf('team.w1')]).toEqual([200, 200])
      await call('DELETE', '/keys/team?namespace=w1')
      await call('DELETE', '/keys/psk_pro?namespace=w1')
      expect(
        await Promise.all(['team', 'team.w1', 'team.w2', 'psk_pro.w1', 'psk_pro'].map(statusOf)),
      ).toEqual([200, 401, 200, 401, 200])
      const hidden = (await call('GET', '/keys?namespace=w1')).body.find(
        ({ key }: { key: string }) => key === 'psk_pro',
      )
      expect(hidden).toMatchObject({ source: 'built-in', revoked: true })
    })
  })

  it('a namespace is created by its first use, and dropped as a whole', async () => {
    await create('mine', 'psk_pro.w1')
    await call('POST', '/reset?namespace=w2')
    const clock = { now: '2026-11-19T12:34:56.000Z', frozen: true }
    expect((await call('GET', '/namespaces')).body).toEqual([
      { name: 'default', pets: 12, requests: 0, findings: 0, clock },
      { name: 'w1', pets: 13, requests: 1, findings: 0, clock },
      { name: 'w2', pets: 12, requests: 0, findings: 0, clock },
    ])
    expect((await call('DELETE', '/namespaces/w1')).status).toBe(204)
    expect((await call('DELETE', '/namespaces/w1')).body.code).toBe('not_found')
    if (store === 'file') await start()
    expect(await idsOf('psk_pro.w1')).toEqual(upTo(12))
    expect((await call('GET', '/requests?namespace=w1')).body).toHaveLength(1)
    await call('DELETE', '/namespaces/default')
    await call('POST', '/fork?namespace=w1', { into: 'default' })
    await create('theirs')
    await call('PUT', '/label', { label: 'a test' })
    expect((await call('DELETE', '/namespaces/default')).status).toBe(204)
    expect((await call('GET', '/namespaces')).body[0].origin).toBeUndefined()
    await api('/pets')
    expect((await call('GET', '/requests')).body.at(-1).test).toBeUndefined()
    expect(await idsOf()).toEqual(upTo(12))
  })

  it('resets and restores under load leave a consistent state', async () => {
    await start({ limits: { enterprise: 'unlimited/unlimited' } })
    await call('PUT', '/snapshots/base')
    let running = true
    const seen: { id: number; name: string }[][] = []
    const clients = upTo(8).map(async (client) => {
      try {
        for (let i = 0; running; i++) {
          await new Promise((resolve) => setImmediate(resolve))
          expect((await create(`${client}/${i}`, 'psk_enterprise')).status).toBe(201)
          seen.push(await (await api('/pets?limit=100', { key: 'psk_enterprise' })).json())
        }
      } finally {
        running = false
      }
    })
    for (let round = 0; running && (round < 12 || seen.length <= 20); round++) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      await call('POST', round % 3 === 0 ? '/snapshots/base/restore' : '/reset', undefined)
      if (round % 3 === 1) await call('POST', '/seed', { count: 2, mode: 'append' })
    }
    running = false
    await Promise.all(clients)
    for (const pets of seen) {
      const ids = pets.map(({ id }) => id)
      expect(ids.slice(0, 12)).toEqual(upTo(12))
      expect(new Set(ids).size).toBe(ids.length)
    }
    const before = (await call('GET', '/export')).text
    if (store === 'file') await start()
    expect((await call('GET', '/export')).text).toBe(before)
  })
})

describe('state without a store', () => {
  beforeEach(() => start())
  afterEach(() => sandbox.close())

  it('two hundred namespaces share nothing', async () => {
    const names = upTo(200).map((n) => `worker-${n}`)
    await Promise.all(
      names.map(async (name, n) => {
        const key = `psk_free.${name}`
        for (let i = 0; i < n % 5; i++) await create(`${name}/${i}`, key)
        if (n % 2) await call('POST', `/clock?namespace=${name}`, { advance: `${n}s` })
        if (n % 3) await call('POST', `/faults?namespace=${name}`, { effect: { status: 418 }, times: 1 })
      }),
    )
    for (const [n, name] of names.entries()) {
      const key = `psk_free.${name}`
      const made = n % 5
      expect((await call('GET', `/keys/psk_free/limits?namespace=${name}`)).body.day.remaining).toBe(
        1000 - made,
      )
      const now = Date.parse((await call('GET', `/clock?namespace=${name}`)).body.now)
      expect(now - Date.UTC(2026, 10, 19, 12, 34, 56)).toBe(n % 2 ? n * 1000 : 0)
      expect(await statusOf(key)).toBe(n % 3 ? 418 : 200)
      const names = (await (await api('/pets?limit=100', { key })).json())
        .slice(12)
        .map((pet: { name: string }) => pet.name)
      expect(names).toEqual(upTo(made).map((i) => `${name}/${i - 1}`))
      expect((await call('GET', `/report?namespace=${name}`)).body.requests).toBe(made + 2)
      expect((await call('GET', `/requests?namespace=${name}`)).body).toHaveLength(made + 2)
    }
    expect((await call('GET', '/report')).body.requests).toBe(0)
    expect((await call('GET', '/report?namespace=*')).body.requests).toBe(200 * 4)
  })

  it('there are at most a thousand namespaces, and reading the document of another one creates none', async () => {
    for (const n of upTo(999)) await call('POST', `/faults?namespace=full-${n}`, { effect: { status: 418 } })
    expect((await call('POST', '/faults?namespace=more', { effect: { status: 418 } })).status).toBe(503)
    expect((await sandbox.fetch('/openapi.json?namespace=more')).status).toBe(200)
  })

  it('the sandbox itself', async () => {
    expect((await call('GET', '/health')).body).toEqual({
      status: 'ok',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      uptimeSeconds: expect.any(Number),
      pets: 12,
      fixtures: expect.arrayContaining(['empty', 'default']),
    })
    expect((await call('GET', '/openapi.json')).body).toEqual({
      ...contract.document,
      servers: expect.any(Array),
    })
    const store = await (await sandbox.fetch('/openapi.json')).json()
    expect((await call('GET', '/interface.json')).body).toEqual(store)
    expect((await call('GET', '/decisions')).body).toContainEqual(
      expect.objectContaining({ name: 'ban.seconds', value: expect.anything(), default: expect.anything() }),
    )
    expect((await call('HEAD', '/health')).status).toBe(200)
    expect((await call('HEAD', '/events')).text).toBe('')
  })

  it('the deprecation page is open to every Host and loads nothing from other origins', async () => {
    const page = await call('GET', '/docs/deprecations', undefined, { host: 'api.example' })
    expect(page.status).toBe(200)
    expect(page.text).toContain('id="getPet"')
    expect(page.text).not.toMatch(/https?:\/\/|<script|@import|url\(/)
    await call('POST', '/clock', { set: '2030-12-05T00:00:00Z' })
    expect((await call('GET', '/docs/deprecations')).text).toContain('removed</span>')
    expect((await call('GET', '/docs/deprecations?namespace=w1')).text).toContain('deprecated</span>')
  })

  it('accepts requests of curl without a media type, but no write from another origin', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await call('POST', '/clock', { advance: '1s' }, form)).status).toBe(200)
    const foreign = { ...form, origin: 'https://evil.example' }
    expect((await call('POST', '/clock', { advance: '1s' }, foreign)).body.code).toBe('control_forbidden')
    expect((await call('GET', '/clock')).body.now).toBe('2026-11-19T12:34:57.000Z')
  })

  it('requires the token if there is one, except for the deprecation page', async () => {
    await start({ ...FROZEN, controlToken: 's3cret' })
    const refused = await call('GET', '/health')
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="petstore-sandbox-control"',
    ])
    const headers = { authorization: 'Bearer s3cret', host: 'ci.example', origin: 'https://ci.example' }
    expect((await call('POST', '/reset', {}, headers)).status).toBe(200)
    expect((await call('GET', '/docs/deprecations')).status).toBe(200)
    await sandbox.reset()
  })
})

describe('the test of a request', () => {
  it('is the label of its namespace, or the test name in its baggage, in the journal and in HAR', async () => {
    await start()
    const label = (value: unknown) => call('PUT', '/label?namespace=w1', { label: value })
    const list = (baggage?: string) =>
      api('/pets/1', { key: 'psk_pro.w1', ...(baggage && { headers: { baggage } }) })
    await list()
    expect((await label(`checkout › ${'x'.repeat(300)}`)).body.label).toBe(`checkout › ${'x'.repeat(189)}`)
    expect((await label('checkout › retries')).body).toEqual({ label: 'checkout › retries' })
    await list()
    await list('test.name=checkout%20%E2%80%BA%20pays%20with%20psk_secret')
    expect((await call('POST', '/reset?namespace=w1', { only: ['faults'] })).status).toBe(200)
    expect((await label(null)).body).toEqual({ label: null })
    await list()
    const { body } = await call('GET', '/requests?namespace=w1')
    expect((body as { test?: string }[]).map(({ test }) => test)).toEqual([
      undefined,
      'checkout › retries',
      'checkout › pays with psk_…',
      undefined,
    ])
    const har = await call('GET', '/requests?namespace=w1', undefined, { accept: 'application/har+json' })
    expect(har.body.log.entries[1].comment).toBe('checkout › retries; getPet is deprecated')
    expect((await label('')).body).toEqual({ label: null })
    expect((await label('x'.repeat(1001))).status).toBe(400)
    await sandbox.close()
  })
})
