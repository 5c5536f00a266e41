import { expect, it } from 'vitest'
import { bearerToken } from '../../../src/world/keys/bearer-token.ts'

it.each([
  ['Bearer psk_pro', 'psk_pro'],
  ['bEARER    psk_pro', 'psk_pro'],
  ['Bearer a b', 'a b'],
  ['Bearer psk_pro ', 'psk_pro '],
  ['Bearer', ''],
  ['Bearer ', ''],
  ['Bearerpsk_pro', ''],
  ['Bearer\tpsk_pro', ''],
  [' Bearer psk_pro', ''],
  ['Basic psk_pro', ''],
  ['', ''],
  [undefined, ''],
])('%j has the token %j', (authorization, token) => {
  expect(bearerToken(authorization)).toBe(token)
})
