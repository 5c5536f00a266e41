import { expect, it } from 'vitest'
import { openSandbox } from '../../../src/compose/open-sandbox.ts'
import type { Internals } from '../../../src/past/internals.ts'
import { createRunRecorder } from '../../../src/views/report/run-recorder.ts'
import type { Exchange } from '../../../src/world/traffic/exchange.ts'
import type { Finding } from '../../../src/world/traffic/findings.ts'
import { MAX_NAMESPACES, Worlds } from '../../../src/world/worlds.ts'
import { answered } from '../../support/command.ts'
import { exchange } from '../../support/exchange.ts'

const START = { pets: { pets: [], nextId: 1 }, keys: [], seed: 1, now: undefined, frozen: false }

const DEPRECATED: Finding = { kind: 'deprecated-call' }
const EARLY: Finding = { kind: 'early-retry', earlyMs: 1500, allowedAt: 2500 }

function recorded() {
  const recorder = createRunRecorder(['deprecated', 'uncovered'])
  const worlds = new Worlds(START, new Map(), 0)
  worlds.onForget = recorder.addBackoff
  const call = (namespace: string, changes: Partial<Exchange> = {}) => {
    const own = { at: 0, operationId: 'getPet', path: '/v1/pets/1', findings: [DEPRECATED] }
    const done = exchange({ namespace, ...own, ...changes })
    answered(worlds.get(namespace, 0), done)
    recorder.record(done)
  }
  /** The summary at the end of a sandbox. */
  const summary = () => {
    for (const world of worlds.all()) recorder.addBackoff(world)
    return recorder.summary(['listPets', 'getPet'])
  }
  return { worlds, call, summary }
}

it('contains the requests of namespaces that were reset, dropped or evicted', () => {
  const { worlds, call, summary } = recorded()
  call('default')
  worlds.default.resetRequests()
  call('w1')
  worlds.drop(worlds.get('w1', 0))
  call('w2')
  for (let i = 0; i < MAX_NAMESPACES - 1; i++) worlds.get(`other-${i}`, 0).turned = true
  expect(worlds.find('w2')).toBeUndefined()
  call('default')
  const { report, gates } = summary()
  expect(report).toMatchObject({
    requests: 4,
    deprecatedCalls: 4,
    coverage: { getPet: { 200: 4 } },
    uncovered: ['listPets'],
  })
  expect(gates).toMatchObject([
    { gate: 'deprecated', count: 4 },
    { gate: 'uncovered', count: 1, first: ['listPets was never called'] },
  ])
  expect(gates[0]?.first).toEqual(
    ['', ' [w1]', ' [w2]', ''].map(
      (where) => `1970-01-01T00:00:00.000Z req_000001 GET /v1/pets/1 200${where}: getPet is deprecated`,
    ),
  )
})

it('the items of its lists name their namespaces', () => {
  const { call, summary } = recorded()
  call('default', { findings: [EARLY] })
  call('w1', { findings: [EARLY, { kind: 'ignored-input', inputs: ['parameter page'], more: 0 }] })
  expect(summary().report).toMatchObject({
    earlyRetries: { count: 2, first: [{ namespace: 'default' }, { namespace: 'w1' }] },
    ignoredInputs: { count: 1, first: [{ namespace: 'w1', input: 'parameter page' }] },
  })
})

it('the lists are bounded, the counts are exact', () => {
  const { worlds, call, summary } = recorded()
  const refused: Partial<Exchange> = {
    status: 429,
    decision: 'refused:window',
    findings: [DEPRECATED, { kind: 'rate-limited' }, EARLY],
    response: { headers: ['Retry-After', '60'], body: '' },
  }
  for (let i = 0; i < 500; i++) {
    call('default', refused)
    call('default', refused)
    call('default')
    worlds.default.resetRequests()
  }
  const { report, gates, backoff } = summary()
  expect(report).toMatchObject({ requests: 1500, rateLimited: 1000, earlyRetries: { count: 1000 } })
  expect(report.earlyRetries.first).toHaveLength(100)
  expect(gates[0]).toMatchObject({ count: 1500 })
  expect(gates[0]?.first).toHaveLength(20)
  expect(backoff).toHaveLength(20)
  expect(backoff[0]).toBe('psk_free free waited 0 ms, 0 ms after refusals in a row: not growing')
})

it('contains the waits of a journal that was cleared', () => {
  const { worlds, call, summary } = recorded()
  const refused: Partial<Exchange> = { status: 429, response: { headers: ['Retry-After', '60'], body: '' } }
  for (const more of [refused, refused, {}]) call('default', more)
  worlds.default.clearJournal()
  expect(summary().backoff).toHaveLength(1)
})

/** A sandbox whose waits a recorder has. */
async function withRecorder() {
  const recorder = createRunRecorder([])
  const beforeServing = ({ worlds }: Internals) => {
    worlds.onForget = recorder.addBackoff
  }
  const sandbox = await openSandbox({ listen: false, log: 'silent' }, { beforeServing })
  const get = (key: string) => sandbox.fetch('/v1/pets', { headers: { authorization: `Bearer ${key}` } })
  return { sandbox, get, backoff: () => recorder.summary([]).backoff }
}

it('contains the waits of requests that a rewind undid, once', async () => {
  const { sandbox: opened, get, backoff } = await withRecorder()
  await using sandbox = opened
  await get('psk_pro')
  for (let n = 0; n < 3; n++) await get('psk_limited')
  await sandbox.rewind('req_000001', 'after')
  await sandbox.reset('requests')
  await sandbox.close()
  expect(backoff()).toEqual([
    expect.stringMatching(/^psk_limited free waited \d+ ms, \d+ ms after refusals in a row/),
  ])
})

it('contains the waits in every branch, also in those that were dropped', async () => {
  const { sandbox: opened, get, backoff } = await withRecorder()
  await using sandbox = opened
  await get('psk_pro')
  for (let rewinds = 0; rewinds < 7; rewinds++) {
    for (let n = 0; n < 3; n++) await get('psk_limited')
    await sandbox.rewind('req_000001', 'after')
  }
  await sandbox.close()
  expect(backoff()).toHaveLength(7)
})

it('has the tests with findings, each with its first findings', () => {
  const { call, summary } = recorded()
  call('w1', { test: 'checkout › retries', findings: [EARLY] })
  call('w1', { test: 'checkout › retries', findings: [EARLY, DEPRECATED] })
  call('w2', { test: 'checkout › pays', findings: [] })
  call('default', { findings: [EARLY] })
  expect(summary().tests).toEqual([
    {
      test: 'checkout › retries',
      requests: 2,
      findings: { 'early-retry': 2, 'deprecated-call': 1 },
      first: ['1970-01-01T00:00:00.000Z req_000001 GET /v1/pets/1 200 [w1]: getPet is deprecated'],
      others: [
        '1970-01-01T00:00:00.000Z req_000001 GET /v1/pets/1 200 [w1]: retried 1.5 s before Retry-After had passed',
        '1970-01-01T00:00:00.000Z req_000001 GET /v1/pets/1 200 [w1]: retried 1.5 s before Retry-After had passed',
      ],
    },
  ])
})
