import { expect, it, onTestFinished } from 'vitest'
import { createSandbox } from '../../src/compose/sandbox.ts'
import { RequestCounts } from '../../src/control/request-counts.ts'
import { exchange } from '../support/exchange.ts'

it('counts requests by operation and status, refusals by reason, and kept data, in the format of Prometheus', async () => {
  const sandbox = await createSandbox({ listen: false })
  onTestFinished(() => sandbox.close())
  const get = (path: string, key: string) =>
    sandbox.fetch(path, { headers: { authorization: `Bearer ${key}` } }).then((response) => response.text())
  const scrape = async () => {
    const response = await sandbox.fetch('/_sandbox/metrics')
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const text = await response.text()
    const lines = text.trimEnd().split('\n')
    // Each sample follows the type of its metric.
    for (const line of lines)
      expect(line).toMatch(/^(# (HELP|TYPE) petstore_\w+ .+|petstore_\w+(\{.*\})? [\d.e-]+)$/)
    const samples = lines.filter((line) => !line.startsWith('#')).map((line) => line.split(/ (?=\S+$)/))
    return Object.fromEntries(samples.map(([name, value]) => [name, Number(value)]))
  }
  await get('/v1/pets', 'psk_pro')
  await get('/v1/pets', 'psk_pro.w1')
  await get('/v1/pets', 'psk_none')
  await get('/v1/pets', 'psk_limited')
  await get('/v1/nowhere', 'psk_pro')
  const first = await scrape()
  expect(first).toMatchObject({
    'petstore_requests_total{operation="listPets",status="200"}': 2,
    'petstore_requests_total{operation="listPets",status="401"}': 1,
    'petstore_requests_total{operation="listPets",status="429"}': 1,
    'petstore_requests_total{operation="none",status="404"}': 1,
    'petstore_refusals_total{reason="key"}': 1,
    'petstore_refusals_total{reason="window"}': 1,
    'petstore_refusals_total{reason="request"}': 1,
    petstore_worlds: 2,
  })
  // A counter never decreases, even after a reset or a drop.
  await sandbox.namespace('w1').reset()
  await sandbox.fetch('/_sandbox/namespaces/w1', { method: 'DELETE' })
  await new Promise((resolve) => setTimeout(resolve, 15))
  const until = performance.now() + 45
  while (performance.now() < until);
  await new Promise((resolve) => setTimeout(resolve, 15))
  const second = await scrape()
  expect(second['petstore_requests_total{operation="listPets",status="200"}']).toBe(2)
  expect(second.petstore_worlds).toBe(1)
  expect(second.petstore_kept_bytes).toBeGreaterThan(0)
  // The loop was blocked for about 45 ms.
  expect(second.petstore_loop_delay_seconds).toBeGreaterThan(0.01)
})

it('escapes the names of operations', () => {
  const counts = new RequestCounts()
  counts.add(exchange({ operationId: 'say "a\\b"\nand go' }))
  expect([...counts.lines()]).toContain(
    String.raw`petstore_requests_total{operation="say \"a\\b\"\nand go",status="200"} 1`,
  )
})
