import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openReplay } from '../../src/compose/replay.ts'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/compose/sandbox.ts'
import { randomRequests } from './commands.ts'
import { play } from './play.ts'

const folder = mkdtempSync(join(tmpdir(), 'petstore-replay-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const exportsOf = async (sandbox: Sandbox) =>
  Promise.all(
    ['default', 'w1', 'w2', 'w3'].map((name) =>
      sandbox
        .namespace(name)
        .export()
        .then(({ pets, nextId }) => ({ pets, nextId })),
    ),
  )

const HUNDREDS = Number(process.env.REPLAY_HUNDREDS ?? 5)

describe.each<[string, SandboxOptions]>([
  ['in memory', { latency: '0ms-3ms' }],
  ['on a file', { db: 'db.json' }],
])('%s', (name, options) => {
  it('a recording of random commands replays to the same replies and the same state', async () => {
    for (let seed = 1; seed <= HUNDREDS; seed++) {
      const file = join(folder, `${name}-${seed}.jsonl`)
      const db = options.db && { db: join(folder, `${seed}-${options.db}`) }
      const sandbox = await createSandbox({
        listen: false,
        decisions: { orders: 'mock' },
        ...options,
        ...db,
        record: file,
      })
      await play(sandbox.fetch, randomRequests(seed, 100))
      const was = await exportsOf(sandbox)
      await sandbox.close()
      const { result, sandbox: replayed } = await openReplay(file, {}, { listen: false })
      expect({ seed, difference: result.difference }).toEqual({ seed, difference: undefined })
      expect(result.compared).toBeGreaterThan(70)
      expect(await exportsOf(replayed)).toEqual(was)
      await replayed.close()
      expect(readFileSync(file, 'utf8')).not.toMatch(/psk_pro_issued_in_this_test|"short"/)
    }
  }, 120_000)
})
