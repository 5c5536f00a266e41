import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openCore } from '../../src/compose/core.ts'
import { createSandbox, type SandboxOptions } from '../../src/compose/sandbox.ts'
import { temporaryFolder } from '../support/folder.ts'
import { api, apiOf, call, controlOf, sandboxPerTest } from './client.ts'

sandboxPerTest()

describe('the bounds of kept data', () => {
  it('names the first ignored inputs and counts the others', async () => {
    const names = Array.from({ length: 3300 }, (_, i) => `a${i}`)
    await api(`/pets?${names.join('&')}`)
    const [entry] = (await call('GET', '/requests')).body
    expect(entry.warnings).toHaveLength(21)
    expect(entry.warnings[0]).toBe('parameter a0 is not known and was ignored')
    expect(entry.warnings[20]).toBe('3,280 more that are not known were ignored')
    const { ignoredInputs } = (await call('GET', '/report')).body
    expect(ignoredInputs.count).toBe(3300)
    const fields = Object.fromEntries(names.map((name) => [`${name}${'x'.repeat(500)}`, 1]))
    await api('/pets', { json: { name: 'Kit', categoryId: 1, ...fields } })
    const { text } = await call('GET', '/requests?operationId=createPet')
    expect(text.length).toBeLessThan(30_000)
  })

  it('a refusal names the first reasons and counts the others', async () => {
    const strict = await createSandbox({ listen: false, log: 'silent', strict: true })
    const query = Array.from({ length: 3300 }, (_, i) => `a${i}`).join('&')
    const refused = await apiOf(strict.fetch)(`/pets?${query}`)
    const { message } = (await refused.json()) as { message: string }
    expect(message.endsWith('a19 is not a parameter of listPets; and 3,280 more')).toBe(true)
    await strict.close()
  })
})

describe('an invalid key', () => {
  it('belongs to its namespace: journal, report and clock', async () => {
    await call('POST', '/clock?namespace=w1', { set: '2030-01-01T00:00:00Z' })
    const refused = await api('/pets', { key: 'psk_expired.w1' })
    expect(refused.headers.get('date')).toBe('Tue, 01 Jan 2030 00:00:00 GMT')
    expect(refused.headers.get('x-ratelimit-reset')).toBe(String(Date.UTC(2030, 0, 1, 0, 1) / 1000))
    await api('/pets', { key: 'nobody.w2' })
    await api('/pets', { key: 'nobody.not/well/formed' })
    expect((await call('GET', '/requests?namespace=w1')).body).toMatchObject([
      { id: 'req_000001', status: 401 },
    ])
    expect((await call('GET', '/report?namespace=w2')).body).toMatchObject({ requests: 1 })
    expect((await call('GET', '/requests')).body).toMatchObject([{ status: 401 }])
    expect((await call('POST', '/requests/verify?namespace=w1', { match: { status: 401 } })).status).toBe(200)
  })
})

describe('when there are a thousand namespaces', () => {
  const fill = async (from: number, to: number, key: string) => {
    for (let i = from; i < to; i++) await api('/pets?limit=1', { key: `${key}.n${i}` })
  }

  it('namespaces with snapshots in memory are kept, since their number would have no bound', async () => {
    expect((await call('PUT', '/snapshots/one?namespace=saved')).status).toBe(201)
    expect((await call('PUT', '/snapshots/one?namespace=deleted')).status).toBe(201)
    await call('DELETE', '/snapshots/one?namespace=deleted')
    await fill(0, 1000, 'psk_pro')
    const names = (await call('GET', '/namespaces')).body.map(({ name }: { name: string }) => name)
    expect(names).toContain('saved')
    expect(names).not.toContain('deleted')
  })

  it('namespaces with changed settings are kept; requests with an invalid key keep none', async () => {
    await call('PUT', '/keys/psk_free/ban?namespace=banned', { seconds: 3600 })
    await api('/pets', { key: 'nobody.refused' })
    await fill(0, 997, 'psk_pro')
    // There are 1,000 namespaces: the new one replaces that of the invalid key.
    await call('PUT', '/label?namespace=other', { label: 'other' })
    const names = async () =>
      (await call('GET', '/namespaces')).body.map(({ name }: { name: string }) => name)
    expect(await names()).toHaveLength(1000)
    await api('/pets', { key: 'psk_pro.more' })
    expect(await names()).toContain('banned')
    expect(await names()).not.toContain('refused')
    expect(await names()).toContain('n0')
    await fill(1000, 1010, 'nobody')
    expect(await names()).toContain('n0')
    await fill(2000, 2300, 'psk_pro')
    expect(await names()).toContain('banned')
    expect((await api('/pets', { key: 'psk_free.banned' })).status).toBe(429)
  })

  it('one with snapshots is kept, also after a restart, until they are deleted', async () => {
    const options = { listen: false, log: 'silent', db: join(temporaryFolder(), 'db.json') } as const
    const first = await createSandbox(options)
    await controlOf(first.fetch)('PUT', '/snapshots/mine?namespace=saved')
    await first.close()
    await using sandbox = await createSandbox(options)
    const control = controlOf(sandbox.fetch)
    await control('PUT', '/snapshots/mine?namespace=other')
    const names = async () =>
      (await control('GET', '/namespaces')).body.map(({ name }: { name: string }) => name)
    const fill = async (from: number, to: number) => {
      for (let i = from; i < to; i++) await apiOf(sandbox.fetch)('/pets?limit=1', { key: `psk_pro.n${i}` })
    }
    await fill(0, 1000)
    expect(await names()).toEqual(expect.arrayContaining(['saved', 'other']))
    for (const name of ['saved', 'other']) await control('DELETE', `/snapshots/mine?namespace=${name}`)
    await fill(1000, 2000)
    expect(await names()).not.toContain('saved')
    expect(await names()).not.toContain('other')
  })
})

describe('delayed requests', () => {
  const KEY = 'psk_enterprise.w1'
  const json = { name: 'x'.repeat(90_000), categoryId: 1 }

  /** Sends requests that their clients abandon, until one of them is answered; returns that answer, and how many were sent. */
  async function fill(api: ReturnType<typeof apiOf>) {
    const gone = new AbortController()
    const { signal } = gone
    let first: Response | undefined
    let sent = 0
    for (; !first && sent < 2000; sent++) {
      api('/pets', { key: KEY, json, signal }).then(
        (response) => {
          first ??= response
        },
        () => {},
      )
      await new Promise(setImmediate)
    }
    gone.abort()
    return { first, sent }
  }

  it.each<[string, SandboxOptions]>([
    ['by --latency', { latency: '1h' }],
    [
      'by a rule',
      { faults: [{ match: { key: 'psk_enterprise' }, effect: { latency: '1h' }, when: 'after' }] },
    ],
  ])('%s have a bound for all namespaces together; a refused one is not carried out', async (_, options) => {
    const limits = { enterprise: 'unlimited/unlimited' }
    const full = await createSandbox({ listen: false, log: 'silent', freeze: true, limits, ...options })
    const [api, control] = [apiOf(full.fetch), controlOf(full.fetch)]
    const { first, sent } = await fill(api)
    expect(sent).toBeGreaterThan(200)
    expect(sent).toBeLessThan(1000)
    expect(first?.status).toBe(503)
    expect(first?.headers.get('retry-after')).toBe('1')
    expect(await first?.json()).toMatchObject({
      message: expect.stringContaining('delayed requests of all'),
    })
    const stored = async () => [
      (await control('GET', '/export?namespace=w1')).body.pets.length,
      (await control('GET', '/requests?namespace=w1')).body.length,
    ]
    const before = await stored()
    expect((await api('/pets', { key: KEY, json })).status).toBe(503)
    expect(await stored()).toEqual(before)
    await full.close()
  })
})

describe('the bounds of control calls', () => {
  it('a request is not sent again while the delayed ones take all their memory', async () => {
    const { core, internals } = await openCore({})
    await apiOf(core.fetch)('/pets')
    internals.worlds.delayedBytes = 64 * 1024 * 1024
    const { status, body } = await controlOf(core.fetch)('POST', '/requests/req_000001/resend')
    expect([status, body.message]).toEqual([503, expect.stringContaining('delayed requests of all')])
    await core.close()
  })

  it('a body has at most 256 KiB, a seed 16 MiB', async () => {
    const blanks = (bytes: number) => ' '.repeat(bytes)
    const verify = await call('POST', '/requests/verify', `${blanks(256 * 1024)}{"match":{}}`)
    expect([verify.status, verify.body.message]).toEqual([
      413,
      'The body is larger than 256 KiB, the limit of this call.',
    ])
    expect((await call('POST', '/seed', `${blanks(256 * 1024)}{"fixture":"busy"}`)).status).toBe(200)
    const seed = await call('POST', '/seed?namespace=w', `${blanks(16 * 1024 * 1024)}{"fixture":"busy"}`)
    expect(seed.body.message).toContain('The body is larger than 16 MiB')
    expect(seed.body.message).toContain('"mode": "append"')
  })

  it('names the first problems and counts the others', async () => {
    const { status, body } = await call('POST', '/seed', { pets: Array.from({ length: 50_000 }, () => ({})) })
    expect(status).toBe(400)
    expect(body.message.startsWith('pets[0].name is required; pets[0].categoryId is required; pets[1]')).toBe(
      true,
    )
    expect(body.message.endsWith('; pets[9].categoryId is required; and 99,980 more')).toBe(true)
    const members = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`m${i}`, 1]))
    const wrong = await call('POST', '/clock', members)
    expect(wrong.body.message).toMatch(/; and \d+ more$/)
    expect(wrong.body.message.length).toBeLessThan(3000)
  })

  it('a number of a million digits is invalid', async () => {
    const digits = '9'.repeat(90_000)
    const created = await api('/pets', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"name":"Kit","categoryId":${digits}}`,
    })
    expect(await created.json()).toMatchObject({
      status: 400,
      message: 'categoryId must be an integer (int64)',
    })
  })

  it('a thousand fault rules, a thousand keys and a hundred snapshots; the refusal names the remedy', async () => {
    const faults = Array.from({ length: 999 }, () => ({ effect: { status: 503 }, match: { path: '/none' } }))
    const full = await createSandbox({ listen: false, log: 'silent', faults })
    const call = controlOf(full.fetch)
    expect((await call('POST', '/faults', faults[0])).status).toBe(201)
    const mine = { key: 'psk_mine', plan: 'free' }
    const keys = Array.from({ length: 999 }, (_, i) => ({ key: `psk_own_${i}`, plan: 'free' }))
    expect((await call('POST', '/seed', { pets: [], keys })).status).toBe(200)
    expect((await call('POST', '/keys', { plan: 'free' })).status).toBe(201)
    for (let i = 0; i < 100; i++) expect((await call('PUT', `/snapshots/s${i}`)).status).toBe(201)
    const refused = [
      await call('POST', '/faults', { effect: { status: 503 } }),
      await call('POST', '/keys', { plan: 'free' }),
      await call('PUT', '/snapshots/more'),
      await call('POST', '/seed', { mode: 'append', pets: [{ name: 'Kit', categoryId: 1 }], keys: [mine] }),
    ]
    expect(refused.map(({ status, body }) => [status, body.message])).toEqual([
      [503, expect.stringContaining('1,000 fault rules here, which is the limit. Remove some')],
      [503, expect.stringContaining('1,000 keys of its own in this namespace, which is the limit. Reset')],
      [503, expect.stringContaining('100 snapshots of this namespace, which is the limit. Delete one')],
      [503, expect.stringContaining('1,000 keys of its own in this namespace, which is the limit. Reset')],
    ])
    expect((await call('GET', '/pets')).body).toEqual([])
    expect((await call('PUT', '/snapshots/s7')).status).toBe(200)
    const long = await call('POST', '/faults?namespace=w', {
      effect: { status: 503 },
      match: { path: `/${'x'.repeat(1000)}` },
    })
    expect(long.body.message).toBe('match.path must have at most 1,000 characters')
    // As JSON, a text has two characters more.
    const [fits, exceeds] = [998, 999].map((length) => ({ match: { body: 'x'.repeat(length) } }))
    const effect = { status: 503 }
    expect((await call('POST', '/faults?namespace=w', { effect, ...fits })).status).toBe(201)
    const { body: refusal } = await call('POST', '/faults?namespace=w', { effect, ...exceeds })
    expect(refusal.message).toBe('match.body must have at most 1,000 characters')
    const cyclic: unknown[] = []
    cyclic.push(cyclic)
    for (const body of [cyclic, 2n ** 60n, () => 1])
      await expect(createSandbox({ listen: false, faults: [{ effect, match: { body } }] })).rejects.toThrow(
        'faults[0]: match.body must be JSON without integers beyond 9007199254740991',
      )
    await full.close()
  })
})

it('a dropped namespace gives back the memory of its requests', async () => {
  const { core, internals } = await openCore({})
  const { budget } = internals.worlds
  const before = budget.bytes
  await apiOf(core.fetch)('/pets', { key: 'psk_pro.w1', json: { name: 'Kit', categoryId: 1 } })
  expect(budget.bytes).toBeGreaterThan(before)
  await controlOf(core.fetch)('DELETE', '/namespaces/w1')
  expect(budget.bytes).toBe(before)
  await core.close()
})

it('reading the journal returns the number of removed entries', async () => {
  for (let i = 0; i < 1007; i++) await api('/pets?limit=1', { key: 'psk_enterprise' })
  expect((await call('GET', '/requests?limit=1')).headers.get('x-sandbox-dropped')).toBe('7')
  await call('DELETE', '/requests')
  expect((await call('GET', '/requests')).headers.get('x-sandbox-dropped')).toBe('0')
})

describe('the state', () => {
  it('has a bound for all namespaces together; the refusal names the remedy', async () => {
    const small = await createSandbox({ listen: false, log: 'silent', fixture: 'empty', maxState: '1MiB' })
    const control = controlOf(small.fetch)
    const create = (key: string) =>
      apiOf(small.fetch)('/pets', { key, json: { name: 'x'.repeat(50_000), categoryId: 1 } })
    const statuses = []
    for (let i = 0; i < 12; i++) statuses.push((await create(`psk_enterprise.w${i % 3}`)).status)
    expect(statuses).toEqual([...Array(10).fill(201), 503, 503])
    const refused = await create('psk_pro.w1')
    expect(await refused.json()).toMatchObject({
      code: 'service_unavailable',
      message: expect.stringMatching(
        /more than 1 MiB of memory.*Reset a namespace or drop it, or start with a higher --max-state/,
      ),
    })
    expect(refused.headers.get('retry-after')).toBe('60')
    expect((await control('POST', '/seed', { count: 10_000 })).status).toBe(503)
    expect((await control('POST', '/seed', { count: 1000 })).status).toBe(503)
    expect((await control('POST', '/reset?namespace=w0')).status).toBe(200)
    expect((await create('psk_pro.w2')).status).toBe(201)
    expect((await control('DELETE', '/namespaces/w1')).status).toBe(204)
    expect((await control('POST', '/seed', { count: 1000 })).status).toBe(200)
    await small.close()
  })

  it('includes the snapshots in memory: once, however often they are restored and however many share their pets', async () => {
    const small = await createSandbox({ listen: false, log: 'silent', maxState: '1MiB' })
    const control = controlOf(small.fetch)
    const seed = async (number: number) =>
      (await control('POST', '/seed', { count: 2000, seed: number })).status
    const restore = async (name: string) => (await control('POST', `/snapshots/${name}/restore`)).status
    expect(await seed(1)).toBe(200)
    for (let i = 0; i < 20; i++) {
      await apiOf(small.fetch)('/pets', { json: { name: 'x'.repeat(2000), categoryId: 1 } })
      expect((await control('PUT', `/snapshots/s${i}`)).status).toBe(201)
    }
    for (let i = 0; i < 20; i++) expect(await restore(`s${i}`)).toBe(200)
    const statuses = []
    for (let i = 2; i < 9; i++) {
      statuses.push(await seed(i))
      await control('PUT', `/snapshots/other-${i}`)
    }
    expect(statuses).toEqual([200, 200, 503, 503, 503, 503, 503])
    for (let i = 0; i < 20; i++) expect(await restore(`s${i}`)).toBe(200)
    for (let i = 2; i < 4; i++) {
      expect(await restore(`other-${i}`)).toBe(200)
      await control('DELETE', `/snapshots/other-${i}`)
    }
    expect(await seed(9)).toBe(200)
    await small.close()
  })

  it('excludes the snapshots in files', async () => {
    const db = join(temporaryFolder(), 'db.json')
    const small = await createSandbox({
      listen: false,
      log: 'silent',
      db,
      fixture: 'empty',
      maxState: 10_000,
    })
    const json = { name: 'x'.repeat(3000), categoryId: 1 }
    expect((await apiOf(small.fetch)('/pets', { json })).status).toBe(201)
    expect((await controlOf(small.fetch)('PUT', '/snapshots/s1')).status).toBe(201)
    await small.close()
  })

  it('includes fault rules and keys, which many namespaces could fill memory with', async () => {
    const small = await createSandbox({ listen: false, log: 'silent', fixture: 'empty', maxState: 100_000 })
    const control = controlOf(small.fetch)
    const rule = { effect: { status: 503, message: 'x'.repeat(2000) } }
    const addRules = async (many: number) => {
      const statuses = []
      for (let i = 0; i < many; i++)
        statuses.push((await control('POST', `/faults?namespace=w${i % 4}`, rule)).status)
      return statuses
    }
    expect(await addRules(24)).toEqual([...Array(23).fill(201), 503])
    const { body } = await control('POST', '/faults', rule)
    expect(body.message).toMatch(/pets, keys and fault rules of all namespaces.*more than 100,000 bytes/)
    const keys = (many: number) =>
      Array.from({ length: many }, (_, i) => ({ key: `psk_own_${i}`, plan: 'free' }))
    const seed = async (many: number) =>
      (await control('POST', '/seed', { pets: [], keys: keys(many) })).status
    expect(await seed(50)).toBe(503)
    expect((await control('DELETE', '/faults/fault_1?namespace=w1')).status).toBe(204)
    expect(await addRules(1)).toEqual([201])
    expect((await control('DELETE', '/faults?namespace=w2')).status).toBe(204)
    expect([await seed(90), await seed(91)]).toEqual([200, 200])
    const issue = async () => (await control('POST', '/keys', { plan: 'free' })).status
    let issued = 0
    while ((await issue()) === 201) issued++
    expect(issued).toBeLessThan(20)
    expect((await control('POST', '/reset', { only: ['keys'] })).status).toBe(200)
    expect(await issue()).toBe(201)
    await small.close()
  })

  it('includes the pets that a rewind has undone; they are dropped before anything is refused', async () => {
    const small = await createSandbox({ listen: false, log: 'silent', maxState: 600_000 })
    const control = controlOf(small.fetch)
    const seed = async () => (await control('POST', '/seed', { count: 2000 })).status
    const rewind = async (body: object) => (await control('POST', '/rewind', body)).status
    for (let i = 0; i < 2; i++) {
      expect(await seed()).toBe(200)
      expect(await rewind({ to: (await control('GET', '/history')).body.at(-1).id })).toBe(200)
    }
    expect(await rewind({ undo: true })).toBe(200)
    expect((await control('GET', '/pets?limit=1')).body).toHaveLength(1)
    expect((await control('POST', '/seed?namespace=w1', { count: 2000, seed: 2 })).status).toBe(200)
    expect(await rewind({ undo: true })).toBe(404)
    await small.close()
  })

  it('a seed has room in place of pets that only the undo of a rewind needs beside it', async () => {
    const small = await createSandbox({ listen: false, log: 'silent', maxState: 400_000 })
    const control = controlOf(small.fetch)
    const seed = async (count: number) => (await control('POST', '/seed', { count })).status
    expect(await seed(2000)).toBe(200)
    await apiOf(small.fetch)('/pets', { json: { name: 'Kit', categoryId: 1 } })
    expect((await control('POST', '/rewind', { to: 'req_000001' })).status).toBe(200)
    expect(await seed(20_000)).toBe(503)
    expect((await control('GET', '/history?branch=*')).body.at(-1).id).toBe('branch_1')
    expect(await seed(2000)).toBe(200)
    await small.close()
  })

  it('a snapshot that replaces one of its name needs only what it takes beyond that one', async () => {
    const small = await createSandbox({ listen: false, log: 'silent', fixture: 'empty', maxState: 250_000 })
    const control = controlOf(small.fetch)
    const save = async (name: string) => (await control('PUT', `/snapshots/${name}`)).status
    const createAnew = async () => {
      await control('POST', '/reset')
      const json = { name: 'x'.repeat(50_000), categoryId: 1 }
      return (await apiOf(small.fetch)('/pets', { json })).status
    }
    expect([await createAnew(), await save('one')]).toEqual([201, 201])
    expect([await createAnew(), await save('two'), await save('one')]).toEqual([201, 503, 200])
    await small.close()
  })

  it('shared state counts once, and replacing pets frees space', async () => {
    const small = await createSandbox({ listen: false, log: 'silent', maxState: 400_000 })
    const control = controlOf(small.fetch)
    for (let i = 0; i < 500; i++) await control('PUT', `/label?namespace=w${i}`, { label: 'a' })
    for (let i = 0; i < 5; i++)
      expect((await control('POST', '/seed', { count: 2000, seed: i })).status).toBe(200)
    expect((await control('POST', '/seed?namespace=w1', { count: 2000 })).status).toBe(503)
    await small.close()
  })
})
