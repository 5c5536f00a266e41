import { expect, it } from 'vitest'
import { keyAddress } from '../../src/cli/remote.ts'
import { namespaceOf } from '../../src/client/namespace.ts'

it.each([
  ['psk_pro.w1', {}, 'w1'],
  ['psk_pro.w1', { service: 'http://localhost:8080/v1' }, undefined],
  ['psk_pro', {}, undefined],
  ['psk_pro.', {}, undefined],
  ['psk_pro.a b', {}, undefined],
])('%s names a namespace of a sandbox whose health is %j: %s', async (key, health, expected) => {
  expect(await namespaceOf(key, async () => health)).toBe(expected)
})

it.each([
  ['psk_pro', 'default', 'psk_pro in default'],
  ['psk_pro', 'w1', 'psk_pro in w1'],
  ['psk_pro.w1', undefined, 'psk_pro in w1'],
  ['psk_pro.w1', 'w1', 'psk_pro in w1'],
  // As in a request, the last dot precedes the namespace; the sandbox refuses the key before it.
  ['psk_pro.w1.w2', undefined, 'psk_pro.w1 in w2'],
  ['', undefined, ' in default'],
  // The sandbox decides.
  ['psk_pro.w1', '*', 'psk_pro.w1 in *'],
])('%s with --namespace %s is %s', (given, named, expected) => {
  const { key, namespace } = keyAddress(given, named ?? 'default', named !== undefined)
  expect(`${key} in ${namespace}`).toBe(expected)
})

it.each(['w2', 'default'])('a key that names another namespace than --namespace %s is refused', (named) => {
  expect(() => keyAddress('psk_pro.w1', named, true)).toThrow(
    `--namespace is ${named}, but the key psk_pro.w1 names the namespace w1. Leave out --namespace, or .w1`,
  )
})
