import { expect, it, onTestFinished } from 'vitest'
import { createCore } from '../../src/core.ts'
import { guardedStore } from '../../src/world/guarded-store.ts'
import { createMemoryStore } from '../../src/world/memory-store.ts'
import type { Store } from '../../src/world/store.ts'

const FULL = new Error('The quota is exceeded.')
const memory = createMemoryStore()

/** A core with the store of another program. */
async function open(changed: Partial<Store>) {
  const core = await createCore({ store: { ...memory, ...changed } })
  onTestFinished(() => core.close())
  const headers = { authorization: 'Bearer psk_pro', 'content-type': 'application/json' }
  const send = async (method: string, path: string, body?: object) => {
    const response = await core.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return { status: response.status, text: await response.text() }
  }
  const pets = async () => (await core.namespace().export()).pets.length
  return { core, send, pets, create: () => send('POST', '/v1/pets', { name: 'Kit', categoryId: 1 }) }
}

const refused = (text: string) => ({ status: 503, text: expect.stringContaining(text) })
const LOST = 'The change was not stored: pets and keys are as before. The quota is exceeded.'

it('an error with which a change is undone refuses the request with 503', async () => {
  let written: Promise<void> | undefined
  const undoAll: (() => void)[] = []
  let onAppend = () => {}
  const append: Store['append'] = (_, undo) => {
    undoAll.unshift(undo)
    written ??= new Promise(setImmediate).then(() => {
      for (const each of undoAll.splice(0)) each()
      written = undefined
      throw FULL
    })
    onAppend()
  }
  const { core, send, pets, create } = await open({ append, durable: () => written })
  expect(await create()).toEqual(refused(LOST))
  expect(await send('POST', '/_sandbox/seed', { fixture: 'empty' })).toEqual(refused(LOST))
  expect(await pets()).toBe(12)
  // The promise rejects before the delayed reply awaits it.
  await core.namespace().faults.add({ effect: { latency: '20ms' }, when: 'after' })
  expect(await create()).toEqual(refused(LOST))
  expect(await pets()).toBe(12)
  // Nor is a refusal confirmed that depends on such a change.
  let missing: unknown
  onAppend = () => {
    missing ??= send('GET', '/v1/pets/1')
  }
  expect(await send('POST', '/_sandbox/seed', { fixture: 'empty' })).toEqual(refused(LOST))
  expect(await missing).toEqual(refused(LOST))
})

it('an error that append throws undoes the change', async () => {
  const append = () => {
    throw FULL
  }
  const { pets, create } = await open({ append })
  expect(await create()).toEqual(refused(LOST))
  expect(await pets()).toBe(12)
})

it('an error that durable throws refuses the request', async () => {
  let isBroken = false
  const durable = () => {
    if (isBroken) throw FULL
    return undefined
  }
  const { send, create } = await open({ durable })
  isBroken = true
  expect(await create()).toEqual(refused('The quota is exceeded.'))
  expect(await send('POST', '/_sandbox/reset', {})).toEqual(refused('The quota is exceeded.'))
})

it('an error of a snapshot refuses the call with 503', async () => {
  const save = () => Promise.reject(FULL)
  const read = () => {
    throw FULL
  }
  const { send } = await open({ snapshots: { ...memory.snapshots, save, read } })
  expect(await send('PUT', '/_sandbox/snapshots/a')).toEqual(
    refused('The snapshot could not be saved: The quota is exceeded.'),
  )
  expect(await send('GET', '/_sandbox/snapshots/a')).toEqual(
    refused('The snapshot could not be read: The quota is exceeded.'),
  )
})

it('the snapshots of a store that keeps them in memory count as state', async () => {
  const core = await createCore({ store: createMemoryStore(), maxState: 8000, fixture: 'empty' })
  onTestFinished(() => core.close())
  const headers = { authorization: 'Bearer psk_pro', 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'x'.repeat(3000), categoryId: 1 })
  expect((await core.fetch('/v1/pets', { method: 'POST', headers, body })).status).toBe(201)
  expect((await core.fetch('/_sandbox/snapshots/a', { method: 'PUT' })).status).toBe(503)
})

it('a store whose methods use `this` keeps it', async () => {
  class Kept implements Store {
    readonly found = new Map()
    readonly snapshots = memory.snapshots
    changes = 0
    connect() {}
    append() {
      this.changes++
    }
    durable() {
      return this.changes > 0 ? undefined : Promise.reject(FULL)
    }
    async close() {}
  }
  const store = new Kept()
  const guarded = guardedStore(store)
  guarded.append({ op: 'drop', namespace: 'w1' }, () => {})
  expect(guarded.durable()).toBeUndefined()
})
