import { afterAll, expect, it } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import { hasChromium } from '../e2e/chromium.ts'
import { coreOfTheWeb } from '../support/bundled-core.ts'
import { closeChromium, replayInChromium } from '../support/core-in-chromium.ts'
import { replayText } from '../support/replaying-core.ts'

afterAll(closeChromium)

const free = { authorization: 'Bearer psk_free.shop' }
const created: RequestInit = {
  method: 'POST',
  headers: { ...free, 'content-type': 'application/json' },
  body: JSON.stringify({ name: 'Łata', categoryId: 1 }),
}

/** A recording of Node: refusals, a fault, a changed clock, a rewind. */
async function recordingOfNode(): Promise<string> {
  await using sandbox = await createSandbox({
    listen: false,
    log: 'silent',
    now: '2026-11-19T12:34:56Z',
    limits: { free: '5/100' },
  })
  const world = sandbox.namespace('shop')
  for (let n = 0; n < 7; n++) await sandbox.fetch('/v1/pets', n % 2 === 0 ? created : { headers: free })
  await world.clock.advance('61s')
  await world.faults.add({ effect: { status: 503 }, times: 1 })
  for (const path of ['pets', 'pets/13', 'pets/999', 'nowhere'])
    await sandbox.fetch(`/v1/${path}`, { headers: free })
  await world.rewind('req_000004')
  await sandbox.fetch('/v1/pets', created)
  return (await sandbox.fetch('/_sandbox/recording?namespace=shop')).text()
}

const WAYS = [
  {
    way: 'in a context with web standards alone',
    replay: async (text: string) => (await coreOfTheWeb()).replayText(text),
  },
  ...(hasChromium ? [{ way: 'in a page of Chromium', replay: replayInChromium }] : []),
]

it.each(WAYS)('a recording of Node replays to the same replies $way', async ({ replay }) => {
  const text = await recordingOfNode()
  const { commands, compared, difference } = (await replay(text)) ?? {}
  expect({ commands, compared, difference }).toEqual({ commands: 15, compared: 15, difference: undefined })
  const changed = text.replace('"status":503', '"status":500')
  expect((await replay(changed))?.difference).toMatchObject({ where: 'status', was: '500', is: '503' })
})

it('a replayed namespace has its snapshots: it is not dropped to make room', async () => {
  await using sandbox = await createSandbox({ listen: false, log: 'silent' })
  await sandbox.fetch('/_sandbox/snapshots/mine?namespace=shop', { method: 'PUT' })
  await sandbox.fetch('/_sandbox/requests?namespace=shop', { method: 'DELETE' })
  await sandbox.fetch('/v1/pets', { headers: free })
  const text = await (await sandbox.fetch('/_sandbox/recording?namespace=shop')).text()
  let hasSnapshots: boolean | undefined
  await replayText(text, ({ worlds }) => {
    hasSnapshots = worlds.find('shop')?.hasSnapshots
  })
  expect(hasSnapshots).toBe(true)
})
