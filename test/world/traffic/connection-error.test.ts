import { expect, it } from 'vitest'
import { reasonFor } from '../../../src/world/traffic/connection-error.ts'

it.each([
  ['ECONNREFUSED', 'connection refused: no service listens there'],
  [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    expect.stringContaining('is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT); name'),
  ],
  // The words of Deno, whose fetch has no codes.
  ['invalid peer certificate: UnknownIssuer', expect.stringContaining('NODE_EXTRA_CA_CERTS')],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another name; use an address that it names'],
  ['CERT_HAS_EXPIRED', 'its certificate has expired; make a new one'],
  ['EPIPE', 'write EPIPE'],
  [undefined, 'write EPIPE'],
])('%s: %s', (code, reason) => {
  expect(reasonFor(code, 'write EPIPE')).toEqual(reason)
})
