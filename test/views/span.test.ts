import { expect, it } from 'vitest'
import { spanOf, type TraceSpan } from '../../src/views/span.ts'
import { Secrets } from '../../src/world/keys/secrets.ts'
import type { Exchange } from '../../src/world/traffic/exchange.ts'
import { entryHead } from '../../src/world/traffic/journal-entry.ts'
import { exchange } from '../support/exchange.ts'

const SOURCE = {
  routeOf: (id: string) => (id === 'getPet' ? '/v1/pets/{petId}' : undefined),
  origin: 'https://try.example:8443',
  entropy: (length: number) => new Uint8Array(length).fill(0xab),
  hidesNamespaces: false,
}

const span = (members: Partial<Exchange>, source = SOURCE): TraceSpan =>
  spanOf(exchange(members), source) as TraceSpan
const values = (found: TraceSpan) =>
  Object.fromEntries(found.attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

const sentWith = (...values: string[]) => ({
  request: { headers: values.flatMap((value) => ['TraceParent', value]), body: '' },
})
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'

it('has the route as its name, and the duration of the request', () => {
  const found = span({ operationId: 'getPet', path: '/v1/pets/7', ms: 12 })
  expect(found).toMatchObject({
    name: 'GET /v1/pets/{petId}',
    kind: 2,
    startTimeUnixNano: `${Date.UTC(2026, 10, 19, 12, 34, 56)}000000`,
    endTimeUnixNano: `${Date.UTC(2026, 10, 19, 12, 34, 56, 12)}000000`,
    status: {},
  })
  expect(values(found)).toMatchObject({
    'http.request.method': 'GET',
    'http.route': '/v1/pets/{petId}',
    'http.response.status_code': '200',
    'url.scheme': 'https',
    'url.path': '/v1/pets/7',
    'server.address': 'try.example',
    'server.port': '8443',
    'petstore.request': 'req_000001',
    'petstore.namespace': 'default',
    'petstore.decision': 'served',
  })
})

it('has a name without a route, and without a known method', () => {
  expect(span({ operationId: undefined, path: '/v1/nope' }).name).toBe('GET')
  const found = span({ operationId: undefined, method: 'BREW' })
  expect(found.name).toBe('HTTP')
  expect(values(found)).toMatchObject({
    'http.request.method': '_OTHER',
    'http.request.method_original': 'BREW',
  })
})

it('is an error if the server failed or there was no answer', () => {
  expect(span({ status: 404 }).status).toEqual({})
  const failed = span({ status: 503 })
  expect([failed.status.code, values(failed)['error.type']]).toEqual([2, '503'])
  const broken = span({ status: 0 })
  expect([broken.status.code, values(broken)['error.type']]).toEqual([2, 'connection'])
  expect(values(broken)).not.toHaveProperty('http.response.status_code')
})

it('has the reason that the journal shows, also if a fault rule acted', () => {
  const lost = { rule: 'fault_1', effect: { wire: 'reset' }, when: 'before' } as const
  const broken = { status: 0, reason: { code: 'internal_error' }, acted: lost }
  expect(values(span(broken))['petstore.reason']).toBe(entryHead(exchange(broken)).reason.code)
  expect(values(span(broken))).toMatchObject({ 'petstore.reason': 'lost', 'petstore.rule': 'fault_1' })
  expect(values(span({}))['petstore.reason']).toBe('served')
})

it('belongs to the trace of its client', () => {
  expect(span(sentWith(`00-${TRACE}-${PARENT}-01`))).toMatchObject({
    traceId: TRACE,
    parentSpanId: PARENT,
    spanId: 'abababababababab',
    flags: 0x301,
  })
  expect(span(sentWith(`cc-${TRACE}-${PARENT}-03-what-will-be`)).traceId).toBe(TRACE)
  expect(spanOf(exchange(sentWith(`00-${TRACE}-${PARENT}-00`)), SOURCE)).toBeUndefined()
})

it.each([
  [`ff-${TRACE}-${PARENT}-01`],
  [`00-${'0'.repeat(32)}-${PARENT}-01`],
  [`00-${TRACE}-${'0'.repeat(16)}-01`],
  [`00-${TRACE}-${PARENT}-01-more`],
  [`00-${TRACE.toUpperCase()}-${PARENT}-01`],
  [`00-${TRACE}-${PARENT}`],
  [`00-${TRACE}-${PARENT}-01`, `00-${TRACE}-${PARENT}-01`],
  [''],
])('begins a new trace if traceparent is invalid: %s', (...given) => {
  const found = span(sentWith(...given))
  expect(found).toMatchObject({ traceId: 'ab'.repeat(16), flags: 1 })
  expect(found).not.toHaveProperty('parentSpanId')
})

it('has the window that admitted or refused the request; an unlimited one has no number', () => {
  const quota = { limit: 60, remaining: 59, resetsAt: 0 }
  const charged = { outcome: 'counted', span: 'minute', quota } as Exchange['charged']
  expect(values(span({ charged }))).toMatchObject({
    'petstore.window': 'minute',
    'petstore.window.limit': '60',
    'petstore.window.remaining': '59',
  })
  const unlimited = { ...charged, quota: { ...quota, limit: Infinity } } as Exchange['charged']
  expect(values(span({ charged: unlimited }))).not.toHaveProperty('petstore.window.limit')
})

it('has no key, no unbounded text, and no namespace whose name is a secret', () => {
  const secrets = new Secrets()
  secrets.add(['a-key-of-another-form'])
  const found = span(
    {
      secrets,
      namespace: 'f00d',
      path: `/v1/a-key-of-another-form/psk_pro.f00d/${'x'.repeat(5000)}`,
      query: 'a=unknown-yet',
      decision: 'fault:psk_flaky',
      test: 'with a-key-of-another-form',
    },
    { ...SOURCE, hidesNamespaces: true },
  )
  const text = JSON.stringify(found)
  expect(text).not.toMatch(/a-key|f00d|unknown-yet|psk_\w/i)
  expect(text).toContain('psk_…')
  expect(text.length).toBeLessThan(4000)
})

it('has a long text cut between characters, with a mark', () => {
  const { 'petstore.test': name } = values(span({ test: `${'x'.repeat(1023)}🐕` }))
  expect(name).toBe(`${'x'.repeat(1023)}…`)
})
