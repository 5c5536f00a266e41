import { expect, it } from 'vitest'
import { reasonFor } from '../../../src/world/traffic/connection-error.ts'

it.each([
  ['ECONNREFUSED', 'connection refused: no service listens there'],
  [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    expect.stringContaining('is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT); name'),
  ],
  ['EPIPE', 'write EPIPE'],
  [undefined, 'write EPIPE'],
])('%s: %s', (code, reason) => {
  expect(reasonFor(code, 'write EPIPE')).toEqual(reason)
})
