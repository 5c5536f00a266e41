import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCore } from '../../src/core.ts'
import type { SandboxFetch } from '../../src/web/fetch.ts'
import { temporaryFolder } from '../support/folder.ts'
import { hasWorkerd, startWorkerd, type Workerd } from '../support/workerd.ts'

const OPTIONS = {
  now: '2026-11-19T12:34:56Z',
  freeze: true,
  limits: { free: '6/100', pro: '30/10000' },
  decisions: { 'durable.log': 'every', 'ban.after': 3 },
}

const folder = temporaryFolder()
let workerd: Workerd | undefined
beforeAll(async () => {
  if (hasWorkerd) workerd = await startWorkerd([OPTIONS], folder)
})
afterAll(() => workerd?.close())

/** A request, or the name of a namespace whose object is removed from memory. */
type Step = { readonly target: string; readonly init: RequestInit } | { readonly evicted: string }

const name = fc.constantFrom('default', 'w1')
/** Not `default`: a key that it loses, revoked or by a rewind, is valid in other namespaces for up to 5 s. */
const own = fc.constant('w1')
const key = fc.constantFrom('psk_free', 'psk_pro', 'psk_limited', 'psk_flaky', 'psk_mine', 'psk_none')

const request = (method: string, path: string, json?: unknown) =>
  fc.tuple(name, key).map(
    ([namespace, key]): Step => ({
      target: path,
      init: {
        method,
        headers: {
          authorization: `Bearer ${key}${namespace === 'default' ? '' : `.${namespace}`}`,
          ...(json !== undefined && { 'content-type': 'application/json' }),
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
      },
    }),
  )

const control = (method: string, path: string, json?: unknown, of = name) =>
  of.map(
    (namespace): Step => ({
      target: `/_sandbox${path}${path.includes('?') ? '&' : '?'}namespace=${namespace}`,
      init: {
        method,
        ...(json !== undefined && {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(json),
        }),
      },
    }),
  )

const id = fc.integer({ min: 1, max: 12 })
const point = fc
  .tuple(fc.constantFrom('req', 'ctl'), fc.integer({ min: 1, max: 20 }))
  .map(([kind, n]) => `${kind}_${String(n).padStart(6, '0')}`)

const change = fc.oneof(
  { weight: 6, arbitrary: request('GET', '/v1/pets?limit=3') },
  { weight: 4, arbitrary: request('POST', '/v1/pets', { name: 'Kit', categoryId: 2 }) },
  { weight: 1, arbitrary: request('POST', '/v1/pets', { name: 7 }) },
  { weight: 2, arbitrary: id.chain((n) => request('GET', `/v1/pets/${n + 6}`)) },
  { weight: 2, arbitrary: id.chain((n) => control('POST', '/clock', { advance: `${n * 7}s` })) },
  { weight: 1, arbitrary: id.chain((n) => control('POST', '/seed', { count: n, seed: n })) },
  { weight: 1, arbitrary: control('POST', '/seed', { fixture: 'sold-out' }) },
  { weight: 1, arbitrary: control('POST', '/reset', { parts: ['pets', 'limits'] }) },
  { weight: 1, arbitrary: control('POST', '/reset') },
  {
    weight: 2,
    arbitrary: id.chain((n) =>
      control('POST', '/faults', { match: { operationId: 'listPets' }, effect: { status: 503 }, times: n }),
    ),
  },
  { weight: 1, arbitrary: control('POST', '/keys', { key: 'psk_mine', plan: 'pro' }, own) },
  { weight: 1, arbitrary: control('DELETE', '/keys/psk_mine', undefined, own) },
  { weight: 1, arbitrary: control('PUT', '/keys/psk_free/ban', { seconds: 50 }) },
  { weight: 1, arbitrary: control('PUT', '/label', { label: 'a test' }) },
  { weight: 1, arbitrary: control('PUT', '/snapshots/one') },
  { weight: 1, arbitrary: control('POST', '/snapshots/one/restore') },
  { weight: 1, arbitrary: control('DELETE', '/requests') },
  { weight: 3, arbitrary: point.chain((to) => control('POST', '/rewind', { to })) },
  { weight: 1, arbitrary: control('POST', '/rewind', { undo: true }) },
  { weight: 1, arbitrary: point.chain((at) => control('GET', `/export?at=${at}`)) },
  { weight: 3, arbitrary: name.map((evicted): Step => ({ evicted })) },
)

/** The calls that show the state of a namespace. */
const VIEWS = [
  '/requests',
  '/history?branch=*',
  '/report',
  '/export',
  '/clock',
  '/faults',
  '/keys',
  '/snapshots',
  '/diff?a=now&b=namespace:default',
  '/diff?a=now&b=namespace:w1',
]

/** Calls for all namespaces. */
const VIEWS_OF_ALL = [
  '/report?namespace=*',
  '/requests?namespace=*',
  '/requests?namespace=*&limit=3&status=200',
]

/** Replaces the instants of this machine, and parts of a request that depend on the connection. */
const withoutPlace = (text: string): string =>
  text
    .replace(/"\d{4}-\d\d-\d\dT[\d:.]*Z"/g, (instant) =>
      Math.abs(Date.parse(JSON.parse(instant)) - Date.now()) < 3_600_000 ? '"now"' : instant,
    )
    .replace(/"connection":"close",/g, '')
    .replace(/"content-length":"\d+",(?="content-type":"application\/json","host")/g, '')
    .replace(/"host":"[^"]*"/g, '"host":""')

const REFUSED: Step = { target: '/_sandbox/snapshots/no/restore?namespace=w1', init: { method: 'POST' } }

const json = (method: string, body: string): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json' },
  body,
})

/** A key of `default` that was issued after w1 has read its keys. */
const ISSUED: Step[] = [
  { target: '/_sandbox/clock?namespace=w1', init: {} },
  { target: '/_sandbox/keys?namespace=default', init: json('POST', '{"key":"psk_mine","plan":"pro"}') },
  { target: '/v1/pets?limit=3', init: { headers: { authorization: 'Bearer psk_mine' } } },
  { target: '/v1/pets?limit=3', init: { headers: { authorization: 'Bearer psk_free.w1' } } },
]

/** A snapshot that replaces one from before the journal was cleared. */
const REPLACED: Step[] = [
  { target: '/_sandbox/snapshots/one?namespace=w1', init: { method: 'PUT' } },
  { target: '/_sandbox/requests?namespace=w1', init: { method: 'DELETE' } },
  { target: '/_sandbox/faults?namespace=w1', init: json('POST', '{"effect":{"status":503},"times":3}') },
  { target: '/_sandbox/snapshots/one?namespace=w1', init: { method: 'PUT' } },
]

const EVICTED: Step[] = [{ evicted: 'default' }, { evicted: 'w1' }]

async function answerOf(fetch: SandboxFetch, target: string, init?: RequestInit) {
  const response = await fetch(target, init)
  const headers = Object.fromEntries(response.headers)
  // Header fields that depend on the connection.
  for (const name of [
    'connection',
    'keep-alive',
    'transfer-encoding',
    'content-length',
    'content-encoding',
    'vary',
  ])
    delete headers[name]
  return { status: response.status, headers, body: await response.text() }
}

it.skipIf(!hasWorkerd)('answers with the same bytes as in Node, wherever it is evicted', async () => {
  const edge = (workerd as Workerd).at(OPTIONS)
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 5, maxLength: 60 }), async (steps) => {
      for (const each of ['default', 'w1']) await edge(`/__empty/${each}`)
      const core = await createCore(OPTIONS)
      const views = ['default', 'w1']
        .flatMap((namespace) =>
          VIEWS.map((path) => `${path}${path.includes('?') ? '&' : '?'}namespace=${namespace}`),
        )
        .concat(VIEWS_OF_ALL)
        .map((path): Step => ({ target: `/_sandbox${path}`, init: {} }))
      const seen: string[][] = [[], []]
      for (const [turn, all] of [
        [...steps, ...views],
        [...EVICTED, ...views],
      ].entries()) {
        for (const step of all) {
          if ('evicted' in step) {
            await edge(`/__evict/${step.evicted}`)
            continue
          }
          const { target, init } = step
          const [here, there] = [await answerOf(core.fetch, target, init), await answerOf(edge, target, init)]
          const where = `${init.method ?? 'GET'} ${target}`
          expect({ ...there, body: withoutPlace(there.body) }, where).toEqual({
            ...here,
            body: withoutPlace(here.body),
          })
          if (views.includes(step)) seen[turn]?.push(there.body)
        }
      }
      expect(seen[1]).toEqual(seen[0])
      await core.close()
    }),
    // First without the namespace w1: without a request to it, and with a refused call only.
    { numRuns: Number(process.env.EDGE_RUNS ?? 8), examples: [[[]], [[REFUSED]], [ISSUED], [REPLACED]] },
  )
})
