import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createSandbox, type SandboxOptions } from '../../src/index.ts'
import { SpanExporter } from '../../src/web/span-exporter.ts'
import { type Collector, startCollector } from '../support/collector.ts'

let collector: Collector
beforeEach(async () => {
  collector = await startCollector()
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url)
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '20')
})
afterEach(async () => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  await collector.close()
})

const opened = (options: SandboxOptions = {}) => createSandbox({ listen: false, ...options })
const bearer = (key = 'psk_free') => ({ authorization: `Bearer ${key}` })
const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

it('sends a span for each request, in the trace of its client, with the reason of the answer', async () => {
  vi.stubEnv('OTEL_SERVICE_NAME', 'the store')
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment=test%20one, service.name=not this')
  vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'x-tenant=a%3Db,authorization=Basic abc')
  const sandbox = await opened({ limits: { free: '1/10' }, decisions: { 'ban.after': 5 } })
  const headers = { ...bearer(), traceparent: TRACEPARENT, baggage: 'test.name=a%20test' }
  await sandbox.fetch('/v1/pets/7', { headers })
  await sandbox.fetch('/v1/pets', { headers })
  await sandbox.fetch('/_sandbox/report')
  const [read, refused] = await collector.until(2)
  expect(read).toMatchObject({
    name: 'GET /v1/pets/{petId}',
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    parentSpanId: '00f067aa0ba902b7',
    values: { 'petstore.decision': 'served', 'petstore.window': 'minute', 'petstore.test': 'a test' },
    service: { 'service.name': 'the store', 'deployment.environment': 'test one' },
  })
  expect(refused).toMatchObject({
    name: 'GET /v1/pets',
    values: { 'petstore.decision': 'refused:window', 'http.response.status_code': 429 },
  })
  expect(read?.spanId).not.toBe(refused?.spanId)
  expect(collector.requests[0]).toMatchObject({
    path: '/v1/traces',
    headers: { 'content-type': 'application/json', 'x-tenant': 'a=b', authorization: 'Basic abc' },
  })
  await sandbox.close()
  expect(collector.spans).toHaveLength(2)
})

it('names the fault rule that acted', async () => {
  const sandbox = await opened()
  const rule = { match: { operationId: 'listPets' }, effect: { status: 503 }, times: 1 }
  await sandbox.fetch('/_sandbox/faults', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(rule),
  })
  await sandbox.fetch('/v1/pets', { headers: bearer() })
  const [span] = await collector.until(1)
  expect(span?.values['petstore.decision']).toBe(`fault:${span?.values['petstore.rule']}`)
  expect(span?.status.code).toBe(2)
  await sandbox.close()
})

it('sends a span for a request to a mounted sandbox whose Host names no address', async () => {
  const sandbox = await opened()
  const headers = { ...bearer(), host: 'localhost:99999' }
  expect((await sandbox.handler(new Request('http://localhost/v1/pets', { headers }))).status).toBe(200)
  expect((await collector.until(1))[0]?.values['server.address']).toBe('localhost')
  await sandbox.close()
})

it('sends pending spans when it is closed', async () => {
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '600000')
  // A busy machine may need more time than a shutdown gives.
  const { close } = SpanExporter.prototype
  vi.spyOn(SpanExporter.prototype, 'close').mockImplementation(function (this: SpanExporter) {
    return close.call(this, 20_000)
  })
  const sandbox = await opened()
  for (let n = 0; n < 600; n++) await sandbox.fetch('/v1/pets', { headers: bearer('psk_enterprise') })
  await sandbox.close()
  expect(collector.spans).toHaveLength(600)
  expect(collector.requests).toHaveLength(2)
})

it('drops spans that a collector refuses, warns once, and continues', async () => {
  collector.status = 503
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const sandbox = await opened()
  const list = () => sandbox.fetch('/v1/pets', { headers: bearer() })
  await list()
  await expect.poll(() => collector.requests.length).toBe(1)
  await list()
  await expect.poll(() => collector.requests.length).toBe(2)
  collector.status = 200
  const spans = async () => {
    await list()
    return collector.spans.length
  }
  await expect.poll(spans).toBeGreaterThan(0)
  await sandbox.close()
  expect(written.mock.calls.map(([text]) => text)).toEqual([
    `Spans are dropped: ${collector.url}/v1/traces does not accept them (it answered 503).\n`,
  ])
})

it.each([
  [
    'http://joe:hunter2@localhost:4318?api_key=k9x8w7v6',
    /^Spans are dropped: http:\/\/…@localhost:4318\/\?api_key=…/,
  ],
  ['http//joe:hunter2@localhost:4318', /^Spans are not sent: "http\/\/…@localhost:4318" is not a URL/],
])('shows no credentials of the address %s', async (address, shown) => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  vi.stubEnv('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', address)
  const sandbox = await opened()
  await sandbox.fetch('/v1/pets', { headers: bearer() })
  await sandbox.close()
  const text = [...sandbox.info.notices.map((notice) => notice.text), ...written.mock.calls].join('')
  expect(text).toMatch(shown)
  expect(text).not.toMatch(/hunter2|k9x8/)
})

it('answers and closes without a collector', async () => {
  await collector.close()
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const sandbox = await opened()
  expect((await sandbox.fetch('/v1/pets', { headers: bearer() })).status).toBe(200)
  await sandbox.close()
  collector = await startCollector()
})

it('the address for traces has precedence', async () => {
  const other = await startCollector()
  vi.stubEnv('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', `${other.url}/mine`)
  const sandbox = await opened()
  await sandbox.fetch('/v1/pets', { headers: bearer() })
  await other.until(1)
  expect([other.requests[0]?.path, collector.requests]).toEqual(['/mine', []])
  await sandbox.close()
  await other.close()
})

it('an empty address for traces counts as missing', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', '')
  const sandbox = await opened()
  await sandbox.fetch('/v1/pets', { headers: bearer() })
  await sandbox.close()
  expect(collector.requests).toHaveLength(1)
})

it.each([
  ['OTEL_SDK_DISABLED', 'true'],
  ['OTEL_TRACES_EXPORTER', 'none'],
])('sends nothing with %s=%s', async (name, value) => {
  vi.stubEnv(name, value)
  const sandbox = await opened()
  await sandbox.fetch('/v1/pets', { headers: bearer() })
  await sandbox.close()
  expect(collector.requests).toEqual([])
})

it('does not start with an invalid address, and prints one sentence', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', 'collector four')
  const sandbox = await opened()
  expect(sandbox.info.notices.map(({ text }) => text)).toEqual([
    expect.stringContaining('"collector four" is not a URL'),
  ])
  await sandbox.close()
})

it('bounds the pending spans if a collector does not answer', async () => {
  const timers: (() => void)[] = []
  const warnings: string[] = []
  const settings = { url: 'http://collector.example/', headers: {}, resource: {}, delay: 5000, timeout: 9000 }
  let posts = 0
  const exporter = new SpanExporter(settings, {
    timer: (_, act) => {
      timers.push(act)
      return () => {}
    },
    fetch: (_, init) => {
      posts++
      return new Promise((_, reject) =>
        init.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
      )
    },
    warn: (text) => void warnings.push(text),
  })
  for (let n = 0; n < 5000; n++) exporter.add({ n })
  expect([posts, warnings]).toEqual([
    1,
    [
      'Spans are dropped: http://collector.example/ does not accept them (more spans are sent than it accepts).',
    ],
  ])
  const closed = exporter.close(500)
  timers.at(-1)?.()
  await closed
  expect(posts).toBe(1)
})

it('loads nothing if no variable names a collector', async () => {
  vi.doMock('../../src/web/span-exporter.ts', () => {
    throw new Error('it was loaded')
  })
  await expect(opened()).rejects.toThrow()
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', '')
  const sandbox = await opened()
  expect((await sandbox.fetch('/v1/pets', { headers: bearer() })).status).toBe(200)
  await sandbox.close()
  vi.doUnmock('../../src/web/span-exporter.ts')
})
