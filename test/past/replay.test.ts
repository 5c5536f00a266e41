import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { replay } from '../../src/compose/replay.ts'
import { createSandbox } from '../../src/compose/sandbox.ts'
import type { SandboxOptions } from '../../src/config/options.ts'
import { temporaryFolder } from '../support/folder.ts'
import { manyNamespaces, OVERLAY, randomRequests, type Sent } from './commands.ts'
import { finalReads, openPlayed, play } from './play.ts'

const folder = temporaryFolder()
const overlay = join(folder, 'overlay.json')
writeFileSync(overlay, OVERLAY)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 21, 12) })
})
afterEach(() => {
  vi.useRealTimers()
})

/** The number of commands of each run. More requests are sent, since some are not commands. */
const LENGTH = process.env.PETSTORE_SOAK ? 10_000 : 6000
const SENT = LENGTH + 500
/** The seeds of a kind of storage; in the test command, one each. */
const seedsOf = (first: number): number[] =>
  process.env.PETSTORE_SOAK ? Array.from({ length: 100 }, (_, i) => i + 1) : [first]

/** Records the requests and, at the end, requests for the visible state; replays them. */
async function recordAndReplay(
  name: string,
  options: SandboxOptions,
  requests: readonly Sent[],
  seed: number,
  reads = finalReads(),
) {
  const file = join(folder, `${name}-${seed}.jsonl`)
  const { sandbox, internals } = await openPlayed({ ...options, record: file })
  await play(internals, requests, seed)
  await play(internals, reads, seed)
  const namespaces = internals.worlds.all().length
  await sandbox.close()
  vi.useRealTimers()
  const result = await replay(file)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 21, 12) })
  return { result, namespaces, text: readFileSync(file, 'utf8') }
}

describe.each<[string, SandboxOptions, number]>([
  ['in memory', { latency: '0ms-3ms' }, 1],
  ['on a file', { db: 'db.json' }, 2],
])('%s', (name, options, first) => {
  for (const seed of seedsOf(first))
    it(`a recording of random commands replays to the same replies and the same state, seed ${seed}`, async () => {
      const db = options.db && { db: join(folder, `${seed}-${options.db}`) }
      const all = { overlay, decisions: { orders: 'mock' }, ...options, ...db }
      const { result, text } = await recordAndReplay(name, all, randomRequests(seed, SENT), seed)
      expect(result).toMatchObject({ notices: [], compared: result.commands })
      expect(result.difference).toBeUndefined()
      expect(result.compared).toBeGreaterThan(LENGTH)
      expect(/psk_pro_issued_in_this_test|"short"/.exec(text)).toBeNull()
    })

  it('a recording in which namespaces are evicted replays to the same replies', async () => {
    const db = options.db && { db: join(folder, `many-${options.db}`) }
    const reads = finalReads(['default', 'n0', 'n500', 'n1099'])
    const { result, namespaces } = await recordAndReplay(
      `many-${name}`,
      { ...options, ...db },
      manyNamespaces(1, 2500),
      1,
      reads,
    )
    expect(result.difference).toBeUndefined()
    // The requests name 1,300 namespaces; some are only read, and some are dropped.
    expect(namespaces).toBe(1000)
  })
})

it('refuses options that it does not have, such as those of the command', async () => {
  for (const options of [{ against: 'http://localhost' }, { paced: true }])
    await expect(replay('recording.jsonl', options as never)).rejects.toThrow(
      /replay: there is no option "(against|paced)"/,
    )
})

it('a recording is not recorded to while it is replayed', async () => {
  const file = join(folder, 'own.jsonl')
  vi.useRealTimers()
  const first = await createSandbox({ listen: false, log: 'silent', record: file })
  await first.seed({ count: 3 })
  await first.close()
  const before = readFileSync(file, 'utf8')
  const options = {
    listen: false,
    log: 'silent',
    recording: file,
    record: join(folder, '.', 'own.jsonl'),
  } as const
  await expect(createSandbox(options)).rejects.toThrow('is replayed, and cannot be recorded to')
  expect(readFileSync(file, 'utf8')).toBe(before)
})

it('requests for which there is no room when they are sent again, or after a hold, are refused in a replay, too', async () => {
  const file = join(folder, 'full.jsonl')
  vi.useRealTimers()
  const options = { listen: false, log: 'silent', maxState: 20_000, fixture: 'empty' } as const
  const sandbox = await createSandbox({ ...options, record: file })
  const post = (path: string, body: object, key = 'psk_enterprise') => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    return sandbox.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  const pet = { name: 'x'.repeat(3000), categoryId: 1 }
  await post('/_sandbox/faults', { effect: { hold: { until: 'released' } }, match: { key: 'psk_pro' } })
  const held = post('/v1/pets', pet, 'psk_pro')
  for (let n = 0; (await post('/v1/pets', pet)).status === 201; n++) expect(n).toBeLessThan(20)
  await post('/_sandbox/holds/hold_1/release', {})
  expect((await held).status).toBe(503)
  const [first] = await (await sandbox.fetch('/_sandbox/requests')).json()
  const again = await sandbox.fetch(`/_sandbox/requests/${first.id}/resend`, { method: 'POST' })
  expect(await again.json()).toMatchObject({ status: 503 })
  await (await sandbox.fetch('/_sandbox/export')).text()
  await sandbox.close()
  const { commands, compared, difference } = await replay(file)
  expect(difference).toBeUndefined()
  expect(compared).toBe(commands)
})
