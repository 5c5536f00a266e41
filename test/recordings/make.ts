/**
 * Creates the recording of this version: npx tsx test/recordings/make.ts. The result is the same as long as replies are
 * the same, since its clock is set by this file and keys are replaced by pseudonyms.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openSandbox } from '../../src/compose/open-sandbox.ts'
import { VERSION } from '../../src/contract/version.ts'
import type { Internals } from '../../src/past/internals.ts'
import { OVERLAY } from '../past/commands.ts'

const file = fileURLToPath(new URL(`./${VERSION}.jsonl`, import.meta.url))

let now = Date.UTC(2026, 10, 21, 12)
Date.now = () => now

type Step = readonly [afterMs: number, method: string, target: string, keyOrBody?: unknown, body?: unknown]

const kit = { name: 'Kit', categoryId: 2, status: 'available' }
const api = (afterMs: number, method: string, path: string, key: string, body?: unknown): Step => [
  ...([afterMs, method, `/v1${path}`, key, body] as const),
]
const control = (afterMs: number, method: string, path: string, body?: unknown): Step => [
  ...([afterMs, method, `/_sandbox${path}`, undefined, body] as const),
]

/** Steps that depend only on the state of this sandbox. */
const STEPS: readonly Step[] = [
  api(0, 'GET', '/pets', 'psk_pro'),
  api(13, 'GET', '/pets?status=sold&limit=2', 'psk_free'),
  api(7, 'POST', '/pets', 'psk_pro', kit),
  api(900, 'POST', '/pets', 'psk_pro', kit),
  api(1, 'POST', '/pets', 'psk_pro', '{"name":"Big","categoryId":9007199254740993}'),
  api(5, 'POST', '/pets', 'psk_pro', { name: '', categoryId: 'x' }),
  api(5, 'POST', '/pets', 'psk_pro', '{'),
  api(5, 'GET', '/pets/1', 'psk_pro'),
  api(5, 'GET', '/pets/99', 'psk_business'),
  api(5, 'PATCH', '/pets/1', 'psk_pro', { tags: ['old'], status: null }),
  api(5, 'PUT', '/pets/2', 'psk_pro', kit),
  api(5, 'DELETE', '/pets/3', 'psk_pro'),
  api(5, 'GET', '/store/orders', 'psk_pro'),
  api(5, 'GET', '/nowhere', 'psk_pro'),
  api(5, 'OPTIONS', '/pets', 'psk_pro'),
  ...['psk_expired', 'psk_revoked', 'psk_limited', 'psk_day_limited', 'psk_banned', 'psk_flaky'].map((key) =>
    api(11, 'GET', '/pets?limit=1', key),
  ),
  ...['psk_flaky', 'psk_flaky', 'psk_unstable', 'psk_empty', 'psk_removed', 'psk_slow', 'psk_limited'].map(
    (key) => api(11, 'GET', '/pets/1', key),
  ),
  control(3000, 'PUT', '/label', { label: 'checkout › retries' }),
  control(5, 'POST', '/keys', { plan: 'free' }),
  control(5, 'POST', '/keys', {
    plan: 'pro',
    key: 'psk_pro_golden_recording_key',
    expiresAt: '2027-01-01T00:00:00Z',
  }),
  api(5, 'GET', '/pets?limit=1', 'psk_pro_golden_recording_key'),
  control(5, 'GET', '/keys'),
  control(5, 'PUT', '/keys/psk_free/limits', { remaining: 1 }),
  api(5, 'GET', '/pets?limit=1', 'psk_free'),
  api(5, 'GET', '/pets?limit=1', 'psk_free'),
  control(5, 'GET', '/keys/psk_free/limits'),
  control(5, 'DELETE', '/keys/psk_free/limits'),
  control(5, 'PUT', '/keys/psk_free/ban', { seconds: 60 }),
  api(5, 'GET', '/pets?limit=1', 'psk_free'),
  control(5, 'DELETE', '/keys/psk_free/ban'),
  control(5, 'POST', '/faults', {
    match: { operationId: 'createPet' },
    effect: { wire: 'reset' },
    when: 'after',
    times: 1,
  }),
  api(5, 'POST', '/pets', 'psk_pro', kit),
  control(5, 'POST', '/faults', { effect: { latency: '100ms-300ms' }, probability: 0.5, for: '30s' }),
  ...Array.from({ length: 6 }, () => api(5, 'GET', '/pets?limit=1', 'psk_enterprise')),
  control(1000, 'GET', '/faults'),
  control(5, 'DELETE', '/faults/fault_2'),
  control(5, 'POST', '/faults', {
    match: { operationId: 'listPets' },
    effect: { hold: { until: 'released', timeout: '30s' } },
    times: 2,
  }),
  api(5, 'GET', '/pets?limit=1', 'psk_pro'),
  api(5, 'GET', '/pets?limit=2', 'psk_pro'),
  control(5, 'GET', '/holds'),
  control(5, 'POST', '/holds/hold_1/release'),
  control(40_000, 'DELETE', '/faults'),
  control(5, 'POST', '/requests/req_000001/resend', { edits: { query: 'limit=1' } }),
  control(5, 'PUT', '/snapshots/before'),
  control(5, 'POST', '/clock', { advance: '61s' }),
  control(5, 'POST', '/clock', { set: '2031-01-01T00:00:00Z' }),
  api(5, 'GET', '/pets/1', 'psk_pro'),
  control(5, 'POST', '/clock', { frozen: true }),
  control(5, 'GET', '/clock'),
  control(5, 'DELETE', '/clock'),
  control(5, 'POST', '/seed', { count: 5, seed: 7, status: { available: 60, pending: 30, sold: 10 } }),
  control(5, 'POST', '/seed', { fixture: 'sold-out' }),
  control(5, 'POST', '/seed', { pets: [{ name: 'Nova', categoryId: 1 }], mode: 'append' }),
  control(5, 'GET', '/pets?limit=3&after=2'),
  control(5, 'POST', '/snapshots/before/restore'),
  control(5, 'DELETE', '/snapshots/before'),
  api(5, 'POST', '/pets', 'psk_pro.w1', kit),
  control(5, 'POST', '/fork', { into: 'w2', at: 'req_000005', side: 'before' }),
  api(5, 'GET', '/pets', 'psk_pro.w2'),
  control(5, 'POST', '/rewind?namespace=w1', { to: 'req_000001' }),
  control(5, 'GET', '/namespaces'),
  control(5, 'DELETE', '/namespaces/w1'),
  control(5, 'GET', '/history'),
  control(5, 'GET', '/report'),
  control(5, 'GET', '/report?at=req_000009&side=before'),
  control(5, 'GET', '/requests?limit=3'),
  control(5, 'GET', '/export'),
  control(5, 'DELETE', '/keys/psk_business'),
  // A request after the clock was set back.
  api(-60_000, 'GET', '/pets?limit=1', 'psk_business'),
  control(5, 'DELETE', '/requests'),
  control(5, 'POST', '/reset', {}),
  control(5, 'POST', '/reset', { only: ['keys'] }),
  control(5, 'GET', '/export?namespace=w2'),
]

async function make(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-recording-'))
  const overlay = join(folder, 'overlay.json')
  writeFileSync(overlay, OVERLAY)
  let internals: Internals | undefined
  const sandbox = await openSandbox(
    { listen: false, log: 'silent', overlay, record: file, decisions: { orders: 'mock' }, seed: 1 },
    {
      beforeServing: (found) => {
        internals = found
      },
    },
  )
  for (const step of STEPS) await send(internals as Internals, step)
  await sandbox.close()
  rmSync(folder, { recursive: true })
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Sends a request and waits for its reply, for at most 50 turns, since it may wait for a later time. */
async function send(
  { handle, commands }: Internals,
  [afterMs, method, target, key, body]: Step,
): Promise<void> {
  now += afterMs
  const before = commands.count
  const authorization = key === undefined ? [] : ['Authorization', `Bearer ${key}`]
  const type = body === undefined ? [] : ['Content-Type', 'application/json']
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const answered = Promise.resolve(
    handle({
      method,
      target,
      headers: ['Host', 'localhost:4010', ...authorization, ...type],
      body: body === undefined ? undefined : Buffer.from(text),
      tooLarge: false,
      address: undefined,
    }),
  ).then(async ({ slices, onSent }) => {
    if (slices) for await (const _ of slices);
    onSent?.()
  })
  let isAnswered = false
  void answered.then(() => {
    isAnswered = true
  })
  while (commands.count === before) await turn()
  for (let turns = 0; turns < 50 && !isAnswered; turns++) await turn()
}

await make()
