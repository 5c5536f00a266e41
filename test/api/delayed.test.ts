import { expect, it } from 'vitest'
import { countDelayed } from '../../src/api/delayed.ts'
import { callOf, newWorlds } from './call.ts'

it('a request is counted once, and again with its answer', () => {
  const worlds = { delayedBytes: 0 }
  const call = callOf({ method: 'POST', headers: ['name', 'value'], body: new Uint8Array(10_000) })
  countDelayed(call, worlds)
  const { delayedBytes } = worlds
  expect(delayedBytes).toBeGreaterThan(15_000)
  expect(delayedBytes).toBeLessThan(16_000)
  countDelayed(call, worlds)
  expect(worlds.delayedBytes).toBe(delayedBytes)
  countDelayed(call, worlds, { status: 200, text: 'x'.repeat(5000) })
  // `--latency` delays a request whose answer a rule delays already.
  countDelayed(call, worlds)
  expect([worlds.delayedBytes, call.delayed]).toEqual([delayedBytes + 10_000, delayedBytes + 10_000])
})

it('at the limit, the refusal names the remedy', () => {
  const worlds = newWorlds()
  worlds.delayedBytes = 64 * 1024 * 1024 - 1
  expect(worlds.noRoomForDelayed).toBeUndefined()
  worlds.delayedBytes++
  expect(worlds.noRoomForDelayed).toMatchObject({
    status: 503,
    message: expect.stringContaining('Wait until some are answered'),
  })
})
