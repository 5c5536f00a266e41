import { describe, expect, it } from 'vitest'
import type { Request } from '../../src/world/traffic/message.ts'
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
    ['the namespace is dropped', '/_sandbox/namespaces/w1', []],
    ['its journal is emptied', '/_sandbox/requests?namespace=w1', ['/_sandbox/requests?namespace=w1']],
  ])('is forgotten when %s', async (_, path, left) => {
    const { recent, worlds, send } = await opened()
    const before = worlds.budget.bytes
    for (let i = 0; i < 20; i++) await send('/v1/pets', { body: BYTES })
    await send('/_sandbox/faults?namespace=w1', { body: FAULT })
    expect(recent.of(worlds.get('w1', 0))).toHaveLength(21)
    expect(worlds.budget.bytes).toBeGreaterThan(before + 20_000)

    await send(path, { method: 'DELETE' })
    expect(recent.of(worlds.get('w1', 0)).map(({ command }) => command.request.target)).toEqual(left)
    expect(worlds.budget.bytes).toBeLessThan(before + 4000)
  })

  it('has what a rewind removed from history, and counts it until it is forgotten', async () => {
    const { recent, worlds, send } = await opened()
    const world = worlds.get('w1', 0)
    const before = worlds.budget.bytes
    const name = 'x'.repeat(5000)
    for (const id of [1, 2, 3]) {
      await send('/v1/pets', { body: new TextEncoder().encode(`{"name":"${name}","categoryId":${id}}`) })
      await send(`/v1/pets/${id}`, { method: 'GET' })
    }
    const all = recent.of(world)
    const rewind = { body: new TextEncoder().encode('{"to":"req_000003"}') }
    expect((await send('/_sandbox/rewind?namespace=w1', rewind)).status).toBe(200)
    expect(world.history.points.map(({ id }) => id)).toEqual(['req_000001', 'req_000002'])
    expect(recent.of(world).slice(0, -1)).toEqual(all)
    expect(recent.of(world).map(({ command: { n, request } }) => [n, request.method])).toEqual([
      [1, 'POST'],
      [2, 'GET'],
      [3, 'POST'],
      [4, 'GET'],
      [5, 'POST'],
      [6, 'GET'],
      [7, 'POST'],
    ])
    expect(worlds.budget.bytes).toBeGreaterThan(before + 30_000)
    await send('/_sandbox/requests?namespace=w1', { method: 'DELETE' })
    expect(worlds.budget.bytes).toBeLessThan(before + 4000)
  })

  it('has the reply that was sent where a change could not be stored', async () => {
    const { recent, worlds, send } = await opened()
    const world = worlds.get('w1', 0)
    await send('/v1/pets', { method: 'GET' })
    const [exchange] = world.journal.entries()
    if (exchange) world.amend(exchange, { ...exchange, status: 503 })
    expect(recent.of(world).map(({ reply }) => reply?.status)).toEqual([503])
  })

  it('holds neither the connection of a request nor the buffer that its body came in', async () => {
    const { recent, worlds, send } = await opened()
    const onGone = () => () => {}
    for (const [path, bytes] of [
      ['/v1/pets', BYTES],
      ['/_sandbox/faults?namespace=w1', FAULT],
    ] as const) {
      const body = new Uint8Array(64 * 1024).subarray(7, 7 + bytes.length)
      body.set(bytes)
      await send(path, { body, onGone })
    }
    const kept = recent.of(worlds.get('w1', 0)).map(({ command }) => command.request)
    expect(kept.map(({ body }) => body?.buffer.byteLength)).toEqual([BYTES.length, FAULT.length])
    expect(kept.map(({ body }) => [...(body ?? [])])).toEqual([[...BYTES], [...FAULT]])
    expect(kept.map((request) => 'onGone' in request)).toEqual([false, false])
  })

  it('holds no connection of a request that was answered without a point', async () => {
    const { recent, worlds, send } = await opened()
    const text = (value: unknown) => ({ body: new TextEncoder().encode(JSON.stringify(value)) })
    await send('/v1/pets', { method: 'GET' })
    await send('/_sandbox/faults?namespace=w1', text({ effect: { hold: { until: 'released' } } }))
    const held = send('/v1/pets', { ...text({ name: 'Kit', categoryId: 1 }), onGone: () => () => {} })
    await send('/_sandbox/rewind?namespace=w1', text({ to: 'req_000001' }))
    expect((await held).status).toBe(503)
    const kept = recent.of(worlds.get('w1', 0)).filter(({ command }) => command.request.target === '/v1/pets')
    expect(kept.map(({ command, reply }) => ['onGone' in command.request, reply?.status])).toEqual([
      [false, 200],
      [false, 503],
    ])
  })
})
