import { expect, it } from 'vitest'
import type { Exchange } from '../../src/domain/traffic/exchange.ts'
import { Secrets } from '../../src/domain/traffic/masking.ts'
import { MOST_NAMESPACES, Worlds } from '../../src/domain/world/worlds.ts'
import { RunRecorder } from '../../src/report/run-summary.ts'

const START = { pets: { pets: [], nextId: 1 }, keys: [], seed: 1, now: undefined, frozen: false }

const exchange = (namespace: string, changes: Partial<Exchange> = {}): Exchange => ({
  id: 'req_000001',
  at: 0,
  namespace,
  key: 'psk_free',
  plan: 'free',
  operationId: 'getPet',
  method: 'GET',
  path: '/v1/pets/1',
  query: '',
  status: 200,
  ms: 0,
  decision: 'served',
  ignored: [],
  duplicateOf: undefined,
  deprecated: true,
  startsBan: false,
  request: { headers: [], body: '' },
  response: { headers: ['Deprecation', '@1'], body: '' },
  remaining: 1,
  retryAfter: undefined,
  refusal: undefined,
  secrets: new Secrets(),
  ...changes,
})

function witnessed() {
  const witness = new RunRecorder(['deprecated', 'uncovered'])
  const worlds = new Worlds(START, new Map(), 0, (world) => witness.takeDown(world))
  const call = (namespace: string, changes?: Partial<Exchange>) => {
    const world = worlds.get(namespace, 0)
    world.tally.record(exchange(namespace, changes))
    world.journal.record(exchange(namespace, changes))
  }
  /** What a sandbox does at its end. */
  const conduct = () => {
    for (const world of worlds.all()) witness.takeDown(world)
    return witness.conduct(['listPets', 'getPet'])
  }
  return { worlds, call, conduct }
}

it('nothing is lost that a namespace forgets: reset, dropped, or given up for another', () => {
  const { worlds, call, conduct } = witnessed()
  call('default')
  worlds.default.resetRequests()
  call('w1')
  worlds.drop('w1')
  call('w2')
  for (let i = 0; i < MOST_NAMESPACES - 1; i++) worlds.get(`other-${i}`, 0).turned = true
  expect(worlds.find('w2')).toBeUndefined()
  call('default')
  const { report, gates } = conduct()
  expect(report).toMatchObject({
    requests: 4,
    deprecatedCalls: 4,
    coverage: { getPet: { 200: 4 } },
    uncovered: ['listPets'],
  })
  expect(gates).toMatchObject([
    { gate: 'deprecated', count: 4 },
    { gate: 'uncovered', count: 1, offenders: ['listPets was never called'] },
  ])
  expect(gates[0]?.offenders).toEqual(
    ['', ' [w1]', ' [w2]', ''].map(
      (where) => `1970-01-01T00:00:00.000Z req_000001 GET /v1/pets/1 200${where}: getPet is deprecated`,
    ),
  )
})

it('the lists stay short, the counts do not', () => {
  const { worlds, call, conduct } = witnessed()
  for (let i = 0; i < 500; i++) {
    call('default', {
      status: 429,
      retryAfter: 60,
      decision: 'refused:window',
      response: { headers: ['Retry-After', '60', 'Deprecation', '@1'], body: '' },
    })
    call('default', {
      status: 429,
      retryAfter: 60,
      decision: 'refused:window',
      response: { headers: ['Retry-After', '60'], body: '' },
    })
    call('default', { status: 200 })
    call('default', { status: 200 })
    worlds.default.resetRequests()
  }
  const { report, gates, backoff } = conduct()
  expect(report).toMatchObject({ requests: 2000, rateLimited: 1000, earlyRetries: { count: 1500 } })
  expect(report.earlyRetries.first).toHaveLength(100)
  expect(gates[0]).toMatchObject({ count: 2000 })
  expect(gates[0]?.offenders).toHaveLength(20)
  expect(backoff).toHaveLength(20)
  expect(backoff[0]).toBe('psk_free free waited 0 ms, 0 ms after refusals in a row: not growing')
})
