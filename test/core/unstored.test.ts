import { expect, it, onTestFinished } from 'vitest'
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
