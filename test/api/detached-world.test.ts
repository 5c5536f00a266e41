import { expect, it } from 'vitest'
import { detachedWorlds } from '../../src/api/detached-world.ts'
import { turn } from '../../src/node/turns.ts'
import { ApiError } from '../../src/world/api-error.ts'
import type { StoredKey } from '../../src/world/store.ts'
import { command } from '../support/command.ts'
import { engineDeps, NOW, newWorlds, request } from './call.ts'

/** A detached world of the namespace `w1`, and a function that applies `POST /v1/pets` to it with a key of `default`. */
function opened() {
  const worlds = newWorlds()
  const world = worlds.get('w1', NOW)
  const detached = detachedWorlds(engineDeps(worlds), turn)(world, world.capture(), NOW)
  const post = (keys: readonly StoredKey[], members = {}) => {
    const headers = ['Authorization', 'Bearer key_1.w1', 'Content-Type', 'application/json']
    const body = new TextEncoder().encode('{"name":"Rex","categoryId":1}')
    const sent = command({ at: NOW, keys, request: request({ method: 'POST', headers, body }) })
    return detached.apply(Object.assign(sent, members))
  }
  return { worlds, world, detached, post }
}

const KEYS: readonly StoredKey[] = [{ key: 'key_1', plan: 'pro' }]

it('a command is applied again in a detached world, with the keys that default had at that time', () => {
  const { worlds, world, detached, post } = opened()
  expect(post([])).toMatchObject({ status: 401 })
  expect(post(KEYS)).toMatchObject({ status: 201 })
  expect(detached.world.collections.pets.size).toBe(1)
  expect(world.collections.pets.size).toBe(0)
  expect(worlds.default.keys.stored).toEqual([])
})

it('a change that was refused for the size of all namespaces is refused again, although the size is unknown here', () => {
  const { detached, post } = opened()
  const refusal = new ApiError('service_unavailable', 'no more pets')
  expect(post(KEYS, { refusal })).toMatchObject({ status: 503 })
  expect(detached.world.collections.pets.size).toBe(0)
})
