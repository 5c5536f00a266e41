import { afterAll, beforeAll, expect, it } from 'vitest'
import { createProxy, type RunningProxy } from '../../../src/compose/proxy.ts'
import { operationsOf } from '../../../src/contract/openapi/document.ts'
import { runCli } from '../../cli/run-cli.ts'
import { contract, controlOf } from '../../control/client.ts'
import { startUpstream, type Upstream } from './upstream.ts'

let upstream: Upstream
let proxy: RunningProxy

beforeAll(async () => {
  upstream = await startUpstream()
  proxy = await createProxy(upstream.origin, { port: 0 })
})
afterAll(async () => {
  await proxy.close()
  upstream.server.close()
})

/** The input of operations that need some. */
const QUERIES: Readonly<Record<string, string>> = { diffStates: '?a=now&b=now', getState: '?of=now' }
const BODIES: Readonly<Record<string, unknown>> = {
  seed: { fixture: 'empty' },
  reset: { only: ['pets'] },
  createKey: { plan: 'pro' },
  setKeyLimits: { remaining: 1 },
  banKey: {},
  turnClock: { frozen: true },
  setLabel: { test: null },
  addFault: { match: {}, effect: { status: 503 } },
  waitForRequest: { match: {}, within: '10ms' },
  verifyRequests: { match: {} },
  rewind: { to: 'req_000001' },
  fork: { into: 'w2' },
}

it('a proxy answers 501 to the operations that declare it', async () => {
  const origin = `http://localhost:${proxy.port}`
  // It also checks that each status is declared.
  const call = controlOf((target, init) => fetch(`${origin}${target}`, init))
  const declaring: string[] = []
  const refused: string[] = []
  for (const { path, method, operation } of operationsOf(contract.document)) {
    const { operationId, responses } = operation
    if (['streamEvents', 'callMcp'].includes(operationId)) continue
    const target = path.replaceAll(/\{\w+\}/g, 'name1') + (QUERIES[operationId] ?? '')
    await fetch(`${origin}/v1/pets`)
    let { status } = await call(method.toUpperCase(), target, BODIES[operationId])
    if (contract.operations.get(operationId)?.query.some(({ name }) => name === 'at')) {
      const points = (await call('GET', '/history')).body
      status = (await call('GET', `${target}?at=${points.at(-1).id}`)).status
    }
    if (responses['501']) declaring.push(operationId)
    if (status === 501) refused.push(operationId)
  }
  // Only a Durable Object refuses to send a request again.
  expect(refused).toEqual(declaring.filter((id) => id !== 'resendRequest'))
  expect(refused).toEqual(expect.arrayContaining(['seed', 'getClock', 'getRecording', 'makeWorld']))
})

it('a proxy says nothing about the pets of a namespace', async () => {
  const origin = `http://localhost:${proxy.port}`
  const { body } = await controlOf((target, init) => fetch(`${origin}${target}`, init))('GET', '/namespaces')
  expect(body).toEqual([
    { name: 'default', requests: expect.any(Number), findings: expect.any(Number), clock: expect.anything() },
  ])
  const { out } = await runCli(['namespaces', '--url', origin])
  expect(out).toMatch(/^NAME +PETS +REQUESTS +CLOCK\ndefault +\d+ +2\d{3}-/)
  const both = [origin, origin.replace('localhost', '127.0.0.1')].flatMap((url) => ['--url', url])
  expect((await runCli(['namespaces', ...both])).out).toMatch(/2 sandboxes: \d+ requests? in the journals/)
})

it('a request is sent again to the service, whose keys name no namespace', async () => {
  const call = controlOf((target, init) => fetch(`http://localhost:${proxy.port}${target}`, init))
  await fetch(`http://localhost:${proxy.port}/v1/pets`, { headers: { authorization: 'Bearer sk_1' } })
  const { id } = (await call('GET', '/requests')).body.at(-1)
  expect((await call('POST', `/requests/${id}/resend`)).status).toBe(200)
  const received = upstream.received.length
  const refused = await call('POST', `/requests/${id}/resend`, { into: 'w2' })
  expect(refused).toMatchObject({ status: 501, body: { message: /one namespace/ } })
  expect(upstream.received).toHaveLength(received)
})
