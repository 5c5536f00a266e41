import { expect, it } from 'vitest'
import { webPlatform } from '../../src/compose/web-platform.ts'
import type { CommandLog } from '../../src/edge/command-log.ts'
import { openDurable } from '../../src/edge/durable-core.ts'
import { createMemoryStore } from '../../src/world/memory-store.ts'

/** A world whose log refuses checkpoints while `isFull`. */
async function world() {
  const stored: { command: number; isAlone: boolean }[] = []
  const failures: unknown[] = []
  const disk = { isFull: false }
  const log: CommandLog = {
    read: () => undefined,
    end: () => 0,
    close: () => {},
    append: () => {},
    checkpoint(_row, command, _text, isAlone) {
      if (disk.isFull) throw new Error('The disk is full.')
      stored.push({ command, isAlone })
      return command
    },
  }
  const platform = { ...webPlatform(), onFailure: (error: unknown) => void failures.push(error) }
  const host = { platform, store: createMemoryStore(), warn: () => {}, spans: { variables: {} } }
  const { core } = await openDurable({}, host, log)
  const headers = { authorization: 'Bearer psk_enterprise', 'content-type': 'application/json' }
  const create = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () =>
        core.fetch('/v1/pets', { method: 'POST', headers, body: '{"name":"Kit","categoryId":1}' }),
      ),
    )
  const rewind = (to: string) =>
    core.fetch('/_sandbox/rewind', { method: 'POST', headers, body: JSON.stringify({ to }) })
  return { stored, failures, disk, create, rewind }
}

it('a checkpoint that cannot be stored is followed by another one', async () => {
  const { stored, failures, disk, create } = await world()
  await create(999)
  disk.isFull = true
  await create(1)
  await expect.poll(() => failures.map(String)).toEqual(['Error: The disk is full.'])
  disk.isFull = false
  await create(1000)
  await expect.poll(() => stored.map(({ command }) => command)).toEqual([0, 2000])
})

it('one that a rewind needs is stored alone by the next command; until then the rewind has failed', async () => {
  const { stored, disk, create, rewind } = await world()
  await create(1000)
  await expect.poll(() => stored.length).toBe(2)
  disk.isFull = true
  expect((await rewind('req_000500')).status).toBe(500)
  disk.isFull = false
  await create(1)
  await expect.poll(() => stored.slice(2)).toEqual([{ command: 1002, isAlone: true }])
})
