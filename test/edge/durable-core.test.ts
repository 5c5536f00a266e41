import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { webPlatform } from '../../src/compose/web-platform.ts'
import type { CommandLog } from '../../src/edge/command-log.ts'
import { openDurable } from '../../src/edge/durable-core.ts'
import { RecordingReader } from '../../src/past/parse-recording.ts'
import { createMemoryStore } from '../../src/world/memory-store.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** A log that keeps the lines of a recording. */
function textLog(): CommandLog {
  let text = ''
  return {
    read() {
      if (text === '') return undefined
      const reader = new RecordingReader()
      for (const line of text.split('\n')) reader.read(line)
      return { recording: reader.recording, command: 0, newest: 0, characters: 0 }
    },
    end: () => 0,
    close: () => {},
    append(lines) {
      text += lines
    },
    checkpoint(_row, command, first) {
      text = first
      return command
    },
  }
}

const YEAR = 365 * 24 * 60 * 60 * 1000

it.each([
  ['stands still when it is reopened on a machine whose clock is 5 s behind', [0, -5000, 9000], [0, 0, 4000]],
  ['goes back with a clock that was set back by a year', [0, -YEAR, 9000], [0, -YEAR, 9000 - YEAR]],
])('its clock %s', async (_, steps, shown) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 21, 12) })
  const log = textLog()
  const host = {
    platform: webPlatform(),
    store: createMemoryStore(),
    warn: () => {},
    spans: { variables: {} },
  }
  const began = Date.now()
  const seen: number[] = []
  for (const step of steps) {
    vi.setSystemTime(Date.now() + step)
    const { core, writer } = await openDurable({}, host, log)
    const headers = { authorization: 'Bearer psk_pro', 'content-type': 'application/json' }
    await core.fetch('/v1/pets', { method: 'POST', headers, body: '{"name":"Kit","categoryId":1}' })
    const { now } = await core.namespace().clock.now()
    seen.push(Date.parse(now) - began)
    writer.close()
    await core.close()
  }
  expect(seen).toEqual(shown)
})

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

it('it has exactly the confirmed pets when it is reopened, although they share less memory with the fixture', async () => {
  const log = textLog()
  const open = () => {
    const host = {
      platform: webPlatform(),
      store: createMemoryStore(),
      warn: () => {},
      spans: { variables: {} },
    }
    return openDurable({ fixture: 'busy', maxState: '200KiB' }, host, log)
  }
  const headers = { authorization: 'Bearer psk_enterprise.w1', 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'x'.repeat(2000), categoryId: 1 })
  const first = await open()
  const create = async () => (await first.core.fetch('/v1/pets', { method: 'POST', headers, body })).status
  await create()
  await first.writer.checkpoint(false)
  const statuses: number[] = []
  while (statuses.at(-1) !== 503) statuses.push(await create())
  expect(statuses.length).toBeGreaterThan(10)
  const state = async ({ core }: typeof first) => {
    const call = async (path: string) => (await core.fetch(`/_sandbox${path}?namespace=w1`)).json()
    return { pets: await call('/pets'), requests: await call('/requests') }
  }
  const before = await state(first)
  first.writer.close()
  await first.core.close()
  const again = await open()
  onTestFinished(() => again.core.close())
  expect(await state(again)).toEqual(before)
  expect((await again.core.fetch('/v1/pets', { method: 'POST', headers, body })).status).toBe(503)
})
