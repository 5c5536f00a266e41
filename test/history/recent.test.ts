import { describe, expect, it } from 'vitest'
import type { Request } from '../../src/domain/traffic/message.ts'
import { openPlayed } from './play.ts'

/** Not UTF-8, so that the journal's text cannot repeat it. */
const BYTES = Uint8Array.of(0x7b, 0xff, 0x7d)

const FAULT = new TextEncoder().encode('{"effect":{"status":503}}')

async function opened() {
  const { internals } = await openPlayed({})
  const send = async (path: string, init: Partial<Request> = {}) =>
    internals.handle({
      method: 'POST',
      target: path,
      headers: [
        'Host',
        'localhost',
        'Authorization',
        'Bearer psk_pro.w1',
        'Content-Type',
        'application/json',
      ],
      body: undefined,
      tooLarge: false,
      address: undefined,
      ...init,
    })
  return { ...internals, send }
}

describe('what is kept of the last commands', () => {
  it.each([
    ['the namespace is dropped', '/_sandbox/namespaces/w1'],
    ['its journal is emptied', '/_sandbox/requests?namespace=w1'],
  ])('is forgotten when %s', async (_, path) => {
    const { recent, worlds, send } = await opened()
    const before = worlds.budget.bytes
    for (let i = 0; i < 20; i++) await send('/v1/pets', { body: BYTES })
    await send('/_sandbox/faults?namespace=w1', { body: FAULT })
    expect(recent.of('w1')).toHaveLength(21)
    expect(worlds.budget.bytes).toBeGreaterThan(before + 20_000)

    await send(path, { method: 'DELETE' })
    const [last, ...others] = recent.of('w1')
    expect([last?.command.request.target, others.length]).toEqual([path, 0])
    expect(worlds.budget.bytes).toBeLessThan(before + 4000)
  })

  it('holds neither the connection of a request nor the buffer that its body came in', async () => {
    const { recent, send } = await opened()
    const onGone = () => () => {}
    for (const [path, bytes] of [
      ['/v1/pets', BYTES],
      ['/_sandbox/faults?namespace=w1', FAULT],
    ] as const) {
      const body = new Uint8Array(64 * 1024).subarray(7, 7 + bytes.length)
      body.set(bytes)
      await send(path, { body, onGone })
    }
    const kept = recent.of('w1').map(({ command }) => command.request)
    expect(kept.map(({ body }) => body?.buffer.byteLength)).toEqual([BYTES.length, FAULT.length])
    expect(kept.map(({ body }) => [...(body ?? [])])).toEqual([[...BYTES], [...FAULT]])
    expect(kept.map((request) => 'onGone' in request)).toEqual([false, false])
  })
})
