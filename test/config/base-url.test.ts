import { expect, it } from 'vitest'
import { isOnThisMachine, refuseBaseUrl } from '../../src/config/base-url.ts'

it.each([
  ['http://localhost:4010/v1', true],
  ['HTTP://LOCALHOST', true],
  ['http://127.0.0.1', true],
  ['http://127.9.9.9', true],
  ['http://[::1]:4010', true],
  // Other spellings of 127.0.0.1, which URL normalises.
  ['http://2130706433', true],
  ['http://0x7f.1', true],
  ['http://localhost.example', false],
  ['http://127.0.0.1.example', false],
  ['http://my.localhost', false],
  ['http://[::2]', false],
  ['https://store.example/v1', false],
])('%s is a base URL; of this machine: %s', (address, isHere) => {
  expect(() => refuseBaseUrl(address)).not.toThrow()
  expect(isOnThisMachine(address)).toBe(isHere)
})

it.each([
  '',
  'localhost:4010',
  '/v1',
  'ftp://a/v1',
  'file:///etc/passwd',
  'http://',
  'http://a b',
  'http://a/v1 ',
  '\thttp://a',
  'http://a\n',
])('%j is not a base URL', (text) => {
  expect(() => refuseBaseUrl(text)).toThrow(
    'is not a valid base URL; use one such as http://localhost:4010/v1',
  )
})

it.each(['http://a/v1?x=1', 'http://a/v1#x', 'http://me@a/v1', 'http://:secret@a/v1'])(
  '%s has more than scheme, host, port and path',
  (text) => {
    expect(() => refuseBaseUrl(text)).toThrow('use only scheme, host, port and path')
    expect(() => refuseBaseUrl(text)).not.toThrow('secret')
  },
)
