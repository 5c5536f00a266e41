import { beforeEach, describe, expect, it } from 'vitest'
import type { WorldHandle } from '../../src/client/world.ts'
import { createSandbox } from '../../src/compose/sandbox.ts'
import { api, call, sandbox, sandboxPerTest } from './client.ts'

sandboxPerTest()

const create = (name: string, key = 'psk_pro') => api('/pets', { key, json: { name, categoryId: 1 } })
const names = async (response: Response) =>
  ((await response.json()) as { name: string }[]).map(({ name }) => name)
const list = () => api('/pets?limit=100')
const LIST = { operationId: 'listPets' }
const CREATED = { hold: { until: { operationId: 'createPet' } } }
const RELEASED = { hold: { until: 'released', timeout: '60s' } } as const

/** Waits until this number of requests is held, without a wait call of the sandbox. */
async function held(count = 1, world: Pick<WorldHandle, 'holds'> = sandbox): Promise<void> {
  for (;;) {
    const holds = await world.holds.list()
    if (holds.length === count) return
    await new Promise((resolve) => setImmediate(resolve))
  }
}

describe('a deliberate race', () => {
  /** The final content of a screen that reads the list and adds a pet at the same time. */
  async function screen(): Promise<{ shown: string[]; order: string[] }> {
    const order: string[] = []
    let shown: string[] = []
    const read = list().then(async (response) => {
      shown = await names(response)
      order.push('read')
    })
    const made = create('Kit').then(async (response) => {
      const { name } = (await response.json()) as { name: string }
      shown = [...shown, name]
      order.push('made')
    })
    await Promise.all([read, made])
    return { shown, order }
  }

  beforeEach(() => sandbox.seed({ pets: [{ name: 'Rex', categoryId: 1 }] }))

  it('does not occur without a hold', async () => {
    expect((await screen()).shown).toEqual(['Rex', 'Kit'])
  })

  it('if the list is held after it is carried out, it is stale and arrives last', async () => {
    await sandbox.faults.add({ match: LIST, effect: CREATED, when: 'after', times: 1 })
    expect(await screen()).toEqual({ shown: ['Rex'], order: ['made', 'read'] })
  })

  it('if the list is held before it is carried out, it has the new pet', async () => {
    await sandbox.faults.add({ match: LIST, effect: CREATED, times: 1 })
    expect(await screen()).toEqual({ shown: ['Rex', 'Kit'], order: ['made', 'read'] })
  })

  it('has the same order over sockets', async () => {
    await using served = await createSandbox({ port: 0 })
    await served.faults.add({ match: LIST, effect: CREATED, when: 'after', times: 1 })
    const order: string[] = []
    const send = async (name: string, path: string, init: RequestInit = {}) => {
      const headers = { authorization: 'Bearer psk_pro', 'content-type': 'application/json' }
      await fetch(served.baseUrl + path, { ...init, headers })
      order.push(name)
    }
    const read = send('read', '/pets')
    await held(1, served)
    await send('made', '/pets', { method: 'POST', body: '{"name":"Kit","categoryId":1}' })
    await read
    expect(order).toEqual(['made', 'read'])
  })
})

describe('a hold', () => {
  it('is listed, and ends by a call, or by an answer in its own namespace', async () => {
    await call('POST', '/faults', { match: LIST, effect: CREATED, when: 'after' })
    const answered = list()
    await held()
    await create('Elsewhere', 'psk_pro.w1')
    const { body } = await call('GET', '/holds')
    expect(body).toEqual([
      {
        id: 'hold_1',
        request: 'req_000001',
        operationId: 'listPets',
        rule: 'fault_1',
        when: 'after',
        until: { operationId: 'createPet' },
        since: '2026-11-19T12:34:56.000Z',
        timeout: '10s',
      },
    ])
    expect((await call('POST', '/holds/hold_1/release')).body).toEqual(body[0])
    expect((await answered).status).toBe(200)
    expect((await call('POST', '/holds/hold_1/release')).status).toBe(404)
    const [entry] = await sandbox.requests()
    expect(entry).toMatchObject({ decision: 'fault:fault_1', warnings: [] })
  })

  it('does not end by its own request', async () => {
    const effect = { hold: { until: { operationId: 'createPet' }, timeout: '60s' } }
    await sandbox.faults.add({ match: { operationId: 'createPet' }, effect, times: 1 })
    const first = create('First')
    await held()
    expect((await create('Second')).headers.get('location')).toBe('/v1/pets/13')
    expect((await first).headers.get('location')).toBe('/v1/pets/14')
  })

  it('ends after its timeout, with a finding', async () => {
    await sandbox.faults.add({ effect: { hold: { until: 'released', timeout: '20ms' } }, times: 1 })
    expect((await create('Kit')).status).toBe(201)
    const [entry] = await sandbox.requests()
    expect(entry?.warnings).toEqual(['held for 20ms and not released'])
  })

  it.each<[string, () => Promise<unknown>]>([
    ['a reset of the faults', () => sandbox.reset('faults')],
    ['a reset of everything', () => sandbox.reset()],
    ['clearing the faults', () => sandbox.faults.clear()],
    ['removing its rule', () => sandbox.faults.remove('fault_1')],
    ['closing', () => sandbox.close()],
  ])('ends by %s', async (_, end) => {
    await sandbox.faults.add({ effect: RELEASED })
    const answers = [list(), list()]
    await held(2)
    await end()
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200])
  })

  it.each(['before', 'after'] as const)(
    'ends with 503 when its namespace is dropped, held %s',
    async (when) => {
      const world = sandbox.namespace('w1')
      await world.faults.add({ effect: RELEASED, when })
      const answered = api('/pets', { key: world.key() })
      await held(1, world)
      await call('DELETE', '/namespaces/w1')
      const refused = await answered
      expect([refused.status, await refused.json()]).toEqual([
        503,
        expect.objectContaining({ message: 'The namespace w1 was dropped meanwhile.' }),
      ])
    },
  )

  it('belongs to a request that is no point of the history yet, though a later one is', async () => {
    await list()
    await call('DELETE', '/requests')
    await list()
    await sandbox.faults.add({ match: { operationId: 'createPet' }, effect: RELEASED })
    const answered = create('Kit')
    await held()
    await list()
    expect((await call('POST', '/rewind', { to: 'req_000003' })).body.message).toContain(
      'a request is listed once it is answered',
    )
    await sandbox.faults.clear()
    await answered
  })

  it('beyond 1,000, a request is not held but refused with 503', async () => {
    await sandbox.faults.add({ effect: RELEASED })
    const answers = Array.from({ length: 1000 }, () => api('/pets/1', { key: 'psk_enterprise' }))
    await held(1000)
    const { status, headers } = await api('/pets/1', { key: 'psk_enterprise' })
    expect([status, headers.get('retry-after')]).toEqual([503, '1'])
    await sandbox.faults.clear()
    expect(new Set((await Promise.all(answers)).map((answer) => answer.status))).toEqual(new Set([200]))
  })

  it.each([
    [
      { hold: { until: 'released', timeout: '61s' } },
      'effect.hold.timeout: "61s" is too long; use 60s or less',
    ],
    [{ hold: { until: { operationId: 'makePet' } } }, 'effect.hold.until.operationId must be one of'],
    [{ hold: { until: 'later' } }, 'effect.hold.until'],
    [{ hold: {} }, 'effect.hold'],
    [{ hold: { until: 'released' }, status: 503 }, 'effect'],
  ])('%j is refused', async (effect, message) => {
    const { status, body } = await call('POST', '/faults', { effect })
    expect([status, body.message]).toEqual([400, expect.stringContaining(message)])
  })
})

it('a fault with `for` ends by the clock of its namespace', async () => {
  const { body } = await call('POST', '/faults', { effect: { status: 503 }, for: '30s' })
  expect(body.expiresAt).toBe('2026-11-19T12:35:26.000Z')
  await sandbox.clock.advance('29s')
  expect((await list()).status).toBe(503)
  await sandbox.clock.advance('1s')
  expect((await list()).status).toBe(200)
  expect((await call('POST', '/faults', { effect: { status: 503 }, for: '366d' })).body.message).toBe(
    'for: "366d" is too long; use 365d or less',
  )
  expect((await call('POST', '/faults', { effect: { status: 503 }, for: '0s' })).body.message).toBe(
    'for: "0s" is too short; use 1ms or more',
  )
})
