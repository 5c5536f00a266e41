import { describe, expect, it } from 'vitest'
import type { Inspection } from '../../src/api/relay.ts'
import { createRelay, type RelayDeps } from '../../src/api/relay.ts'
import type { FaultEffect } from '../../src/contract/generated/control.types.d.ts'
import { ApiError } from '../../src/world/api-error.ts'
import type { Exchange } from '../../src/world/traffic/exchange.ts'
import type { Reply, Request } from '../../src/world/traffic/message.ts'
import type { World } from '../../src/world/world.ts'
import { command } from '../support/command.ts'
import { policyWith } from '../world/policy.ts'
import { contract, NOW, newWorlds, request } from './call.ts'

const PETS: Reply = {
  status: 200,
  headers: ['Content-Type', 'application/json', 'X-RateLimit-Remaining', '41'],
  body: '[]',
  foreign: true,
}
const FINE: Inspection = { body: '[]', violations: [] }

function relay(deps: Partial<RelayDeps> = {}) {
  const worlds = newWorlds()
  const forwarded: string[] = []
  const failures: unknown[] = []
  const exchanges: Exchange[] = []
  const slept: number[] = []
  const { handle, refuse } = createRelay({
    contract,
    policy: policyWith(),
    worlds,
    realTime: () => NOW,
    sleep: async (milliseconds) => void slept.push(milliseconds),
    latency: undefined,
    durable: () => undefined,
    inspect: async () => FINE,
    recorders: [(exchange) => exchanges.push(exchange)],
    onFailure: (error) => failures.push(error),
    ...deps,
    forward: async (sent, rest, inside) => {
      forwarded.push(`${sent.method} ${rest} ${inside}`)
      return deps.forward ? deps.forward(sent, rest, inside) : PETS
    },
  })
  const send = (members: Partial<Request> = {}) =>
    handle(command({ at: NOW, request: request(members) })) as Promise<Reply>
  return { send, refuse, worlds, forwarded, failures, exchanges, slept }
}

const addFault = ({ faults }: World, effect: FaultEffect, when: 'before' | 'after' = 'before') =>
  faults.add({ effect, when }, NOW)

describe('a request', () => {
  it('is forwarded, and its response is returned unchanged', async () => {
    const { send, forwarded, exchanges } = relay()
    const headers = ['authorization', 'Bearer live_1234567890.w1']
    expect(await send({ target: '/v1/pets?limit=1', headers })).toBe(PETS)
    expect(forwarded).toEqual(['GET /pets?limit=1 true'])
    // Only the service knows whether the key is valid, and whether its dot precedes a namespace.
    expect(exchanges).toMatchObject([
      { key: 'live_1234567890.w1', namespace: 'default', status: 200, decision: 'served' },
    ])
  })

  it('outside the base path is forwarded without faults and latency', async () => {
    const { send, forwarded, worlds, slept } = relay({ latency: { from: 50, to: 50 } })
    addFault(worlds.default, { status: 503 })
    expect((await send({ target: '/health' })).status).toBe(200)
    expect((await send({ method: 'OPTIONS' })).status).toBe(200)
    expect(slept).toEqual([])
    expect((await send()).status).toBe(503)
    expect(forwarded).toEqual(['GET /health false', 'OPTIONS /pets true'])
  })

  it('with OPTIONS is not recorded', async () => {
    const { send, exchanges } = relay()
    await send({ method: 'OPTIONS' })
    expect(exchanges).toEqual([])
  })

  it('that the proxy does not forward gets an answer of the proxy', async () => {
    const { send, forwarded, exchanges } = relay()
    expect(await send({ method: 'POST', tooLarge: true })).toMatchObject({ status: 413, close: true })
    expect(await send({ method: 'CONNECT', target: 'host:443' })).toMatchObject({ status: 501 })
    expect(forwarded).toEqual([])
    expect(exchanges.map(({ reason }) => reason.code)).toEqual(['body_too_large', 'not_implemented'])
  })
})

describe('a fault', () => {
  it('before: the service does not get the request', async () => {
    const { send, worlds, forwarded, exchanges } = relay()
    addFault(worlds.default, { status: 500 })
    expect((await send()).status).toBe(500)
    expect(forwarded).toEqual([])
    expect(exchanges[0]?.decision).toBe('fault:fault_1')
  })

  it('after: the service gets it, and its response is lost', async () => {
    const { send, worlds, forwarded, exchanges } = relay()
    addFault(worlds.default, { wire: 'reset' }, 'after')
    expect(await send()).toEqual({ ...PETS, wire: 'reset' })
    expect(forwarded).toHaveLength(1)
    expect(exchanges[0]).toMatchObject({ status: 0, response: { headers: [], body: '' } })
  })
})

it('a refusal of the service starts the wait of its key', async () => {
  const { send, exchanges } = relay({
    forward: async () => ({ status: 429, headers: ['Retry-After', '24'], body: '' }),
  })
  const headers = ['Authorization', 'Bearer live_1234567890']
  await send({ headers })
  await send({ headers })
  expect(exchanges[1]?.findings).toContainEqual({
    kind: 'early-retry',
    earlyMs: 24_000,
    allowedAt: NOW + 24_000,
  })
})

it('the general latency applies to forwarded requests', async () => {
  const { send, slept } = relay({ latency: { from: 50, to: 50 } })
  await send()
  expect(slept).toEqual([50])
})

describe('failures', () => {
  it('of the service: its error is the answer', async () => {
    const { send, failures, exchanges } = relay({
      forward: () => Promise.reject(new ApiError('service_unavailable', 'gone', ['Retry-After', '3'])),
    })
    expect(await send()).toMatchObject({ status: 503 })
    expect(exchanges[0]?.reason).toEqual({ code: 'service_unavailable', message: 'gone' })
    expect(failures).toEqual([])
  })

  it('of the proxy: the client gets a 500, and the failure is reported once', async () => {
    const failure = new Error('broken')
    const { send, failures } = relay({ forward: () => Promise.reject(failure) })
    expect((await send()).status).toBe(500)
    expect(failures).toEqual([failure])
  })

  it('of the validation alone: the response is still returned', async () => {
    const failure = new Error('broken')
    const { send, failures, exchanges } = relay({ inspect: () => Promise.reject(failure) })
    expect(await send()).toBe(PETS)
    expect(failures).toEqual([failure])
    expect(exchanges[0]).toMatchObject({ isRelayed: true, findings: [] })
  })
})

it('a request whose world is rewound meanwhile is answered, but not recorded', async () => {
  const { send, worlds, exchanges } = relay({
    forward: async () => {
      worlds.default.epoch++
      return PETS
    },
  })
  expect(await send()).toBe(PETS)
  expect(exchanges).toEqual([])
})

it('bytes that are not HTTP are refused, and their connection is closed', () => {
  const { refuse, exchanges } = relay()
  const reply = refuse(new ApiError('invalid_request', 'not HTTP'))
  expect(reply).toMatchObject({ status: 400, close: true })
  expect(String(reply.body)).toContain('not HTTP')
  expect(exchanges).toEqual([])
})
