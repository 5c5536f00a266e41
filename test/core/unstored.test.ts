import { expect, it, onTestFinished, vi } from 'vitest'
import { createCore } from '../../src/core.ts'
import { ApiError } from '../../src/world/api-error.ts'
import { createMemoryStore } from '../../src/world/memory-store.ts'
import type { Store } from '../../src/world/store.ts'
import { replayText } from '../support/replaying-core.ts'

/** A store whose next write fails after `fail()`. */
function failingStore() {
  let isFull = false
  let written: Promise<void> | undefined
  const store: Store = {
    ...createMemoryStore(),
    append(_, undo) {
      if (!isFull) return
      isFull = false
      written = new Promise((_resolve, reject) => {
        setImmediate(() => {
          undo()
          written = undefined
          reject(new ApiError('service_unavailable', 'The disk is full.'))
        })
      })
      written.catch(() => {})
    },
    durable: () => written,
  }
  const fail = () => {
    isFull = true
  }
  return { store, fail }
}

const json = { authorization: 'Bearer psk_pro', 'content-type': 'application/json' }
const PET = '{"name":"Kit","categoryId":1}'

/** A core whose store fails once after `fail()`, with calls to it. */
async function open() {
  const { store, fail } = failingStore()
  const core = await createCore({ store })
  onTestFinished(() => core.close())
  const post = async (path: string, body: string) =>
    (await core.fetch(path, { method: 'POST', headers: json, body })).status
  const text = async (path: string) => (await core.fetch(path)).text()
  const read = async (path: string) => JSON.parse(await text(path))
  return { post, fail, read, text }
}

it.each([
  ['a request', 'req_000002', '/v1/pets', PET],
  ['a seed', 'ctl_000001', '/_sandbox/seed', '{"fixture":"empty"}'],
  ['a reset', 'ctl_000001', '/_sandbox/reset', '{}'],
  ['a key', 'ctl_000001', '/_sandbox/keys', '{"plan":"pro","key":"psk_mine"}'],
])(
  'the point after %s that could not be stored has the actual state, also after a rewind to it',
  async (_, id, path, body) => {
    const { post, fail, read } = await open()
    expect(await post('/v1/pets', PET)).toBe(201)
    const actual = await read('/_sandbox/export')
    const points = async () => JSON.stringify(await read('/_sandbox/history'))
    fail()
    expect(await post(path, body)).toBe(503)
    const shown = await points()
    expect(await post('/v1/pets', PET)).toBe(201)
    expect(await post('/_sandbox/rewind', JSON.stringify({ to: id, side: 'after' }))).toBe(200)
    expect(await read(`/_sandbox/export?at=${id}`)).toEqual(actual)
    expect(await post('/v1/pets', PET)).toBe(201)
    expect(await read(`/_sandbox/export?at=${id}`)).toEqual(actual)
    expect((await points()).startsWith(shown.slice(0, -1))).toBe(true)
  },
)

it.each([
  ['/v1/pets', PET],
  ['/_sandbox/seed', '{"fixture":"empty"}'],
  ['/_sandbox/rewind', '{"to":"req_000001"}'],
])(
  'a recording that is made after %s could not be stored begins after it, and replays',
  async (path, body) => {
    const { store, fail } = failingStore()
    const core = await createCore({ store })
    onTestFinished(() => core.close())
    const post = async (path: string, body: string) =>
      (await core.fetch(path, { method: 'POST', headers: json, body })).status
    expect(await post('/v1/pets', PET)).toBe(201)
    fail()
    expect(await post(path, body)).toBe(503)
    expect(await post('/v1/pets', PET)).toBe(201)
    const text = await (await core.fetch('/_sandbox/recording')).text()
    expect(await replayText(text)).toEqual({ commands: 1, compared: 1 })
  },
)

it.each(['{"to":"req_000009"}', '{"undo":true,"branch":"branch_9"}'])(
  'a recording replays that was made after the refused rewind %s, although it begins with another history',
  async (rewind) => {
    const { post, fail, text } = await open()
    await post('/v1/pets', PET)
    expect(await post('/_sandbox/rewind', '{"to":"req_000001"}')).toBe(200)
    expect(await post('/v1/pets', PET)).toBe(201)
    fail()
    expect(await post('/v1/pets', PET)).toBe(503)
    expect(await post('/_sandbox/rewind', rewind)).toBe(404)
    expect(await post('/v1/pets', PET)).toBe(201)
    expect(await replayText(await text('/_sandbox/recording'))).toEqual({ commands: 1, compared: 1 })
  },
)

it('a snapshot does not keep a change that cannot be stored', async () => {
  let written: Promise<void> | undefined
  let fail = () => {}
  const append: Store['append'] = (_, undo) => {
    written = new Promise((_resolve, reject) => {
      fail = () => {
        undo()
        written = undefined
        reject(new ApiError('service_unavailable', 'The disk is full.'))
      }
    })
  }
  const { snapshots, ...memory } = createMemoryStore()
  const durable = vi.fn(() => written)
  const core = await createCore({ store: { ...memory, snapshots, append, durable } })
  onTestFinished(() => core.close())
  const created = core.fetch('/v1/pets', { method: 'POST', headers: json, body: PET })
  await expect.poll(() => written !== undefined).toBe(true)
  durable.mockClear()
  const saved = core.fetch('/_sandbox/snapshots/mine', { method: 'PUT' })
  await expect.poll(() => durable.mock.calls.length).toBeGreaterThan(0)
  fail()
  expect([(await created).status, (await saved).status]).toEqual([503, 503])
  expect(await snapshots.list('default')).toEqual([])
})

it('a namespace can be dropped while a change of another one cannot be stored', async () => {
  const durable: Store['durable'] = (namespace) =>
    namespace === 'default' ? Promise.reject(new Error('The disk is full.')) : undefined
  const core = await createCore({ store: { ...createMemoryStore(), durable } })
  onTestFinished(() => core.close())
  const call = async (method: string, path: string, body?: string) =>
    (await core.fetch(`/_sandbox/${path}`, { method, headers: json, ...(body && { body }) })).status
  expect(await call('PUT', 'label?namespace=w1', '{"label":"a"}')).toBe(200)
  expect(await call('DELETE', 'namespaces/w1')).toBe(204)
})

it('a call is not refused because a change of another namespace in the same turn cannot be stored', async () => {
  const durable: Store['durable'] = (namespace) =>
    namespace === undefined ? Promise.reject(new Error('The disk is full.')) : undefined
  const core = await createCore({ store: { ...createMemoryStore(), durable } })
  onTestFinished(() => core.close())
  const seed = { method: 'POST', headers: json, body: '{"pets":[]}' }
  expect((await core.fetch('/_sandbox/seed?namespace=w1', seed)).status).toBe(200)
})
