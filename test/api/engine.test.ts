import { describe, expect, it } from 'vitest'
import { createEngine, type EngineDeps } from '../../src/api/engine.ts'
import { REQUEST_BODY_LIMIT } from '../../src/api/input.ts'
import { ApiError } from '../../src/world/api-error.ts'
import type { Exchange } from '../../src/world/traffic/exchange.ts'
import { fieldValue, type Reply, type Request } from '../../src/world/traffic/message.ts'
import { command } from '../support/command.ts'
import { policyWith } from '../world/policy.ts'
import { engineDeps, NOW, newWorlds, request } from './call.ts'

const KEY = ['Authorization', 'Bearer psk_pro']
const NEW_PET: Partial<Request> = {
  method: 'POST',
  headers: [...KEY, 'Content-Type', 'application/json'],
  body: new TextEncoder().encode('{"name":"Rex","categoryId":1}'),
}

function engine(deps: Partial<EngineDeps> = {}) {
  const worlds = newWorlds()
  const exchanges: Exchange[] = []
  const kept: { exchange: Exchange; isAmended: boolean }[] = []
  const failures: unknown[] = []
  const slept: number[] = []
  const { default: world } = worlds
  for (const name of ['end', 'amend'] as const) {
    const act = world[name].bind(world)
    world[name] = (ended, exchange) => {
      kept.push({ exchange, isAmended: name === 'amend' })
      act(ended, exchange)
    }
  }
  const made = createEngine({
    ...engineDeps(worlds),
    sleep: async (milliseconds) => void slept.push(milliseconds),
    recorders: [(exchange) => exchanges.push(exchange)],
    onFailure: (error) => failures.push(error),
    ...deps,
  })
  const send = (members: Partial<Request> = {}) =>
    made.handle(command({ at: NOW, request: request({ headers: KEY, ...members }) }))
  return { ...made, send, worlds, exchanges, kept, failures, slept }
}

const codeOf = ({ body }: Reply): unknown => JSON.parse(String(body)).code

describe('an answer', () => {
  it('is returned without a promise if nothing has to wait', () => {
    const { send, exchanges } = engine()
    expect(send()).toMatchObject({ status: 200, body: '[]' })
    expect(send(NEW_PET)).toMatchObject({ status: 201 })
    expect(exchanges.map(({ id, operationId }) => `${id} ${operationId}`)).toEqual([
      'req_000001 listPets',
      'req_000002 createPet',
    ])
  })

  it('is sent and recorded when the changes before it are durable', async () => {
    let store = () => {}
    const stored = new Promise<void>((resolve) => {
      store = resolve
    })
    const { send, exchanges, kept } = engine({ durable: () => stored })
    const reply = send(NEW_PET)
    expect([exchanges.length, kept.length]).toEqual([0, 1])
    store()
    expect((await reply).status).toBe(201)
    expect(exchanges).toHaveLength(1)
  })

  it('becomes a 503 if storing fails; the new exchange replaces the first one and is not a duplicate', async () => {
    const failed = new ApiError('service_unavailable', 'The disk is full.')
    const { send, exchanges, kept } = engine({ durable: () => Promise.reject(failed) })
    const [reply] = await Promise.all([send(NEW_PET), send(NEW_PET)])
    expect([reply.status, codeOf(reply)]).toEqual([503, 'service_unavailable'])
    expect(exchanges.map(({ status }) => status)).toEqual([503, 503])
    expect(kept[1]?.exchange.findings).toContainEqual({ kind: 'duplicate', of: 'req_000001' })
    expect(kept.map(({ isAmended }) => isAmended)).toEqual([false, false, true, true])
    expect(kept[3]?.exchange.findings).not.toContainEqual({ kind: 'duplicate', of: 'req_000001' })
  })

  it('is not a duplicate of one that was not stored', async () => {
    const failed = new ApiError('service_unavailable', 'The disk is full.')
    const { send, kept } = engine({ durable: () => Promise.reject(failed) })
    await send(NEW_PET)
    await send(NEW_PET)
    expect(kept[2]?.exchange.findings).not.toContainEqual({ kind: 'duplicate', of: 'req_000001' })
  })

  it('is delayed by the general latency plus that of its key, under the base path only', async () => {
    const { send, slept } = engine({ latency: { from: 50, to: 50 } })
    await send({ headers: ['Authorization', 'Bearer psk_slow'] })
    await send({ target: '/health' })
    await send({ method: 'OPTIONS' })
    expect(slept).toEqual([2050])
  })
})

describe('refusals', () => {
  it.each<[string, Partial<Request>, number, string]>([
    ['no key', { headers: [] }, 401, 'refused:key'],
    ['a ban', { headers: ['Authorization', 'Bearer psk_banned'] }, 429, 'refused:ban'],
    ['a window', { headers: ['Authorization', 'Bearer psk_limited'] }, 429, 'refused:window'],
    ['a parameter', { target: '/v1/pets?limit=x' }, 400, 'refused:request'],
    ['another path', { target: '/pets' }, 404, 'refused:request'],
  ])('for %s is recorded with its reason', (_, members, status, decision) => {
    const { send, exchanges } = engine()
    expect(send(members)).toMatchObject({ status })
    expect(exchanges).toMatchObject([{ status, decision }])
  })

  it('another path is refused before the key is checked, with the address of the API', () => {
    const { send } = engine()
    const reply = send({ target: `/${'x'.repeat(300)}`, headers: ['Host', 'store.test:1'] }) as Reply
    const { message } = JSON.parse(String(reply.body))
    expect(message).toContain(`There is no /${'x'.repeat(199)}… here.`)
    expect(message).toContain('http://store.test:1/v1/pets')
  })

  it('an internal error does not show its cause', () => {
    const failure = new Error('secret')
    const { send, failures, exchanges } = engine({
      commit: () => {
        throw failure
      },
    })
    const reply = send(NEW_PET) as Reply
    expect([reply.status, codeOf(reply)]).toEqual([500, 'internal_error'])
    expect(reply.body).not.toContain('secret')
    expect(failures).toEqual([failure])
    expect(exchanges[0]).toMatchObject({ decision: 'served', status: 500 })
  })

  it('bytes that are not HTTP belong to no namespace, get no new id and are not recorded', () => {
    const { refuse, exchanges, worlds } = engine()
    const reply = refuse(new ApiError('invalid_request', 'not HTTP'))
    expect(reply).toMatchObject({ status: 400, close: true })
    expect(fieldValue(reply.headers, 'x-request-id')).toBe('req_000000')
    expect(worlds.default.nextRequestId()).toBe('req_000001')
    expect(exchanges).toEqual([])
  })
})

describe('a request whose world is rewound while it waits', () => {
  it('changes nothing and is not recorded', async () => {
    let go = () => {}
    const waits = new Promise<void>((resolve) => {
      go = resolve
    })
    const { send, worlds, exchanges, kept } = engine({ sleep: () => waits })
    worlds.default.faults.add({ effect: { latency: '1s' } }, NOW)
    const reply = send(NEW_PET)
    worlds.default.epoch++
    go()
    expect(await reply).toMatchObject({ status: 503 })
    expect(worlds.default.collections.pets.size).toBe(0)
    expect([exchanges, kept]).toEqual([[], []])
  })

  it('is recorded, but not kept in a journal, if it waits to be durable', async () => {
    let fail = (_: unknown) => {}
    const { send, worlds, exchanges } = engine({
      durable: () =>
        new Promise((_, reject) => {
          fail = reject
        }),
    })
    const reply = send(NEW_PET)
    worlds.default.epoch++
    worlds.default.clearJournal('copied')
    fail(new ApiError('service_unavailable', 'The disk is full.'))
    expect((await reply).status).toBe(503)
    expect(exchanges).toMatchObject([{ status: 503 }])
    expect(worlds.default.journal.entries()).toEqual([])
  })
})

describe('before a request', () => {
  it('the mocks are loaded if it has Prefer, or if its operation is mocked', () => {
    let loads = 0
    const loadMocks = () => {
      loads++
      return Promise.resolve()
    }
    const loaded = (members: Partial<Request>, decisions = {}) => {
      loads = 0
      engine({ loadMocks, policy: policyWith(decisions) }).prepare(request(members))
      return loads
    }
    expect(loaded({})).toBe(0)
    expect(loaded({ headers: ['PREFER', ''] })).toBe(1)
    const orders = { target: '/v1/store/orders' }
    expect([loaded(orders), loaded(orders, { orders: 'mock' }), loaded({}, { orders: 'mock' })]).toEqual([
      0, 1, 0,
    ])
  })

  it('the body is read only if the head does not already decide the answer', () => {
    const { bodyLimit } = engine()
    const limit = (members: Partial<Request>) => bodyLimit(request({ headers: KEY, ...members }))
    expect(limit({ method: 'POST' })).toBe(REQUEST_BODY_LIMIT)
    for (const members of [{ method: 'OPTIONS' }, { target: '/pets' }, { headers: [] }]) {
      expect(limit({ method: 'POST', ...members })).toBeUndefined()
    }
  })
})
