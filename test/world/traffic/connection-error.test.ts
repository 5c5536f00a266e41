import { expect, it } from 'vitest'
import { portWarning, reasonFor } from '../../../src/world/traffic/connection-error.ts'

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

it.each([22, 2049, 5060, 6000, 6667, 6697, 10080])(
  'port %i has a warning, as fetch refuses it',
  async (port) => {
    expect(portWarning(port)).toContain(`refuse port ${port}`)
    const { cause } = await fetch(`http://localhost:${port}`).catch((error: unknown) => Object(error))
    expect(cause.message).toBe('bad port')
  },
)

it.each([0, 80, 4010, 6001, 8080])('port %i has none', (port) => {
  expect(portWarning(port)).toBeUndefined()
})
