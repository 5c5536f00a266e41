import { expect, it } from 'vitest'
import { isPublic, publicRefusal } from '../../src/edge/public.ts'
import type { Env } from '../../src/edge/runtime.ts'

const read = (given?: string | boolean | null): boolean =>
  isPublic({ ...(given !== undefined && { PETSTORE_SANDBOX_PUBLIC: given }) } as Env)

it('a Worker is public with the words of every other switch; another word is refused', () => {
  expect(['true', true, '1', 'yes', 'on'].map(read)).toEqual([true, true, true, true, true])
  expect(['false', false, '0', '', null, undefined].map(read)).toEqual(Array(6).fill(false))
  expect(() => read('public')).toThrow('PETSTORE_SANDBOX_PUBLIC: "public" is neither true nor false')
})

it.each(['default', 'w1'])('the world %s of a public sandbox is not copied', (name) => {
  const request = { method: 'POST', target: '/_sandbox/fork', headers: [], body: undefined, tooLarge: false }
  const refusal = publicRefusal(name, name === 'w1', { ...request, address: undefined })
  expect([refusal?.status, refusal?.message]).toEqual([
    403,
    'Worlds cannot be copied here. Make one with POST /_sandbox/worlds: the answer has its key.',
  ])
})
