import { expect, it } from 'vitest'
import { reasonFor } from '../../../src/world/traffic/connection-error.ts'

it.each([
  ['ECONNREFUSED', 'connection refused: no service listens there'],
  ['EPIPE', 'write EPIPE'],
  [undefined, 'write EPIPE'],
])('%s: %s', (code, reason) => {
  expect(reasonFor(code, 'write EPIPE')).toBe(reason)
})
