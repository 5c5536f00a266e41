import { expect, it } from 'vitest'
import { keyAddress } from '../../src/cli/remote.ts'
import type { ControlClient } from '../../src/client/control.ts'

const clientOf = (namespace: string): ControlClient =>
  ({ namespace, in: (other: string) => clientOf(other) }) as ControlClient

const addressed = (given: string, namespace = 'default') => {
  const { client, key } = keyAddress(clientOf(namespace), given)
  return `${key} in ${client.namespace}`
}

it.each([
  ['psk_pro', 'default', 'psk_pro in default'],
  ['psk_pro', 'w1', 'psk_pro in w1'],
  ['psk_pro.w1', 'default', 'psk_pro in w1'],
  ['psk_pro.w1', 'w1', 'psk_pro in w1'],
  // As in a request, the last dot precedes the namespace; the sandbox refuses the key before it.
  ['psk_pro.w1.w2', 'default', 'psk_pro.w1 in w2'],
  ['', 'default', ' in default'],
])('%s with --namespace %s is %s', (given, namespace, expected) => {
  expect(addressed(given, namespace)).toBe(expected)
})

it('two namespaces contradict each other', () => {
  expect(() => addressed('psk_pro.w1', 'w2')).toThrow(
    'psk_pro.w1 names the namespace w1, but --namespace is w2. Leave out one of the two',
  )
})

it.each(['psk_pro.', 'psk_pro.a b', `psk_pro.${'x'.repeat(65)}`])('"%s" has no valid suffix', (given) => {
  expect(() => addressed(given)).toThrow(`"${given}" has no valid suffix; use 1 to 64 of`)
})
