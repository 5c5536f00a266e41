import { expect, it } from 'vitest'
import type { Call } from '../../src/api/call.ts'
import { exchangeOf } from '../../src/api/exchange-of.ts'
import { handle, type PipelineDeps, type Steps } from '../../src/api/pipeline.ts'
import type { Exchange } from '../../src/world/traffic/exchange.ts'
import { command } from '../support/command.ts'
import { policyWith } from '../world/policy.ts'
import { contract, NOW, newWorlds, request } from './call.ts'

function newWay(steps: Partial<Steps> = {}) {
  const recorded: Exchange[] = []
  const failures: unknown[] = []
  const deps: PipelineDeps = {
    contract,
    policy: policyWith(),
    worlds: newWorlds(),
    realTime: () => NOW,
    sleep: async () => {},
    latency: undefined,
    durable: () => undefined,
    recorders: [(exchange) => recorded.push(exchange)],
    onFailure: (error) => failures.push(error),
  }
  const send = (method = 'GET') =>
    handle(command({ at: NOW, request: request({ method }) }), deps, {
      answer: () => ({ status: 200, text: '[]' }),
      ...steps,
    })
  return { send, recorded, failures }
}

it('answers synchronously if nothing takes time, and records the exchange', () => {
  const { send, recorded } = newWay()
  expect(send()).toMatchObject({ status: 200, body: '[]' })
  expect(recorded).toMatchObject([{ id: 'req_000001', status: 200 }])
})

it('if the exchange is a promise, the reply waits until it is recorded', async () => {
  const { send, recorded } = newWay({ exchangeOf: async (...given) => exchangeOf(...given) })
  expect(send()).toBeInstanceOf(Promise)
  expect(recorded).toEqual([])
  expect(await newWay({ exchangeOf: async (...given) => exchangeOf(...given) }).send()).toMatchObject({
    status: 200,
  })
})

it.each([
  ['thrown', () => fail()],
  ['rejected', async () => fail()],
])(
  'an unexpected failure that is %s is reported to its receiver, and not shown to the client',
  async (_, answer) => {
    const { send, recorded, failures } = newWay({ answer })
    const { status, body } = await send()
    expect({ status, failures: failures.map(String) }).toEqual({ status: 500, failures: ['Error: a bug'] })
    expect(body).not.toContain('a bug')
    expect(recorded).toMatchObject([{ status: 500, reason: { code: 'internal_error' } }])
  },
)

it('OPTIONS is answered and not recorded', () => {
  const { send, recorded } = newWay({ answer: (_: Call) => ({ status: 204 }) })
  expect(send('OPTIONS')).toMatchObject({ status: 204 })
  expect(recorded).toEqual([])
})

function fail(): never {
  throw new Error('a bug')
}
