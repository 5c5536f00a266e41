import { expect, it } from 'vitest'
import { isLoopback, mountedRequest } from '../../../src/world/traffic/peer.ts'

const request = (headers: string[], address: string | undefined) => ({
  method: 'GET',
  target: '/',
  headers,
  body: undefined,
  tooLarge: false,
  address,
})

it.each(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'])('%s is this machine', (address) => {
  expect(isLoopback(address)).toBe(true)
})

it.each(['128.0.0.1', '10.0.0.1', '::2', '127.0.0.1.example.com', 'unknown', ''])('%j is not', (address) => {
  expect(isLoopback(address)).toBe(false)
})

it('a host that does not pass the address of the peer closes the control API, unless it is opened', () => {
  const mounted = (control: boolean) =>
    mountedRequest(request([], undefined), { control, trustForwarded: false }).address
  expect([mounted(false), mounted(true)]).toEqual(['unknown', undefined])
})

it.each([
  ['X-Forwarded-For', '127.0.0.1, 203.0.113.9', '203.0.113.9'],
  ['X-Real-IP', '203.0.113.9', '203.0.113.9'],
  ['X-Client-IP', '203.0.113.9', '203.0.113.9'],
  ['CF-Connecting-IP', '203.0.113.9', '203.0.113.9'],
  ['True-Client-IP', '203.0.113.9', '203.0.113.9'],
  ['Forwarded', 'for="[2001:db8::1]";proto=https', '2001:db8::1'],
  ['Forwarded', 'For = 203.0.113.9', '203.0.113.9'],
  ['X-Forwarded-For', '127.0.0.1', '198.51.100.1'],
])('a trusted %s of %s can make a local peer remote, but not the reverse', (name, value, address) => {
  const options = { control: false, trustForwarded: true }
  const mounted = mountedRequest(request(['Host', 'a', name, value], '198.51.100.1'), options)
  expect(mounted).toMatchObject({ address, headers: ['Host', 'a'] })
})
