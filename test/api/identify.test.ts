import { expect, it } from 'vitest'
import { identify, isAdmitted, namespaceNamed } from '../../src/api/identify.ts'
import type { ApiError } from '../../src/world/api-error.ts'
import { callOf, NOW, newWorlds } from './call.ts'

function identified(...headers: string[]) {
  const worlds = newWorlds()
  const call = callOf({ headers }, { worlds })
  const refused: string[] = []
  let error: ApiError | undefined
  const forRefused = (namespace: string) => {
    refused.push(namespace)
    return worlds.default
  }
  try {
    identify(call, {
      keysOf: (name) => worlds.keysOf(name),
      nowOf: (name, real) => worlds.nowOf(name, real),
      get: (name, real) => worlds.get(name, real),
      forRefused,
    })
  } catch (thrown) {
    error = thrown as ApiError
  }
  // `isAdmitted`, which decides how much of a body is read, must agree.
  expect(isAdmitted(headers, worlds, NOW)).toBe(error === undefined)
  return { call, refused, code: error?.code, headers: error?.headers.join(' '), worlds }
}

it.each([
  ['Bearer psk_pro', 'psk_pro', 'default'],
  ['bEARER   psk_pro.w1', 'psk_pro', 'w1'],
  ['Bearer psk_pro.default', 'psk_pro', 'default'],
])('%s is the key %s of %s', (authorization, key, namespace) => {
  const { call, code } = identified('AUTHORIZATION', authorization)
  expect(code).toBeUndefined()
  expect(call.caller).toMatchObject({ key, plan: 'pro' })
  expect(call.world.name).toBe(namespace)
  expect(namespaceNamed(call.request.headers)).toBe(namespace)
})

it.each([
  [[], 'missing_api_key', []],
  [['Authorization', ''], 'missing_api_key', []],
  [['Authorization', 'Bearer'], 'missing_api_key', []],
  [['Authorization', 'Bearer  '], 'missing_api_key', []],
  [['Authorization', 'Basic psk_pro'], 'missing_api_key', []],
  [['Authorization', 'Bearer\tpsk_pro'], 'missing_api_key', []],
  [['Authorization', 'Bearer psk_nobody'], 'invalid_api_key', ['default']],
  [['Authorization', 'Bearer psk_nobody.w1'], 'invalid_api_key', ['w1']],
  [['Authorization', 'Bearer psk_pro.w1.w2'], 'invalid_api_key', ['w2']],
  [['Authorization', 'Bearer psk_pro.'], 'invalid_api_key', []],
  [['Authorization', `Bearer psk_pro.${'w'.repeat(65)}`], 'invalid_api_key', []],
  [['Authorization', 'Bearer psk_pro, Bearer psk_pro'], 'invalid_api_key', ['default']],
  [['Authorization', 'Bearer psk_pro', 'Authorization', 'Bearer psk_pro'], 'invalid_api_key', []],
  [['Authorization', 'Bearer constructor'], 'invalid_api_key', ['default']],
  [['Authorization', 'Bearer psk_expired'], 'invalid_api_key', ['default']],
])('%j is refused: %s, in %j', (sent, code, namespaces) => {
  const found = identified(...sent)
  expect(found).toMatchObject({ code, refused: namespaces })
  expect(found.headers?.includes('invalid_token')).toBe(code === 'invalid_api_key')
  expect(found.call.caller).toBeUndefined()
})

it('a key that is refused creates no namespace', () => {
  expect(identified('Authorization', 'Bearer psk_nobody.w1').worlds.all()).toHaveLength(1)
  expect(identified('Authorization', 'Bearer psk_free.w1').worlds.all()).toHaveLength(2)
})
