import { describe, expect, it } from 'vitest'
import { createGuard } from '../../src/control/guard.ts'
import type { Request } from '../../src/domain/message.ts'

interface Sent {
  method?: string
  address?: string
  headers?: Record<string, string>
  raw?: string[]
}

const IN_PROCESS = 'in process'

const request = ({ method = 'POST', address, headers = {}, raw }: Sent): Request => ({
  method,
  target: '/_sandbox/reset',
  headers: raw ?? Object.entries({ Host: 'localhost:4010', ...headers }).flat(),
  body: undefined,
  tooLarge: false,
  address: address === IN_PROCESS ? undefined : (address ?? '127.0.0.1'),
})

const refusal = (token: string | undefined, sent: Sent): string | undefined => {
  try {
    createGuard(token)(request(sent))
    return undefined
  } catch (error) {
    const { code, status } = error as { code: string; status: number }
    return `${status} ${code}`
  }
}

const FORBIDDEN = '403 control_forbidden'
const UNKNOWN = '401 invalid_control_token'

describe('without a token', () => {
  it.each<[string, Sent, string | undefined]>([
    ['this machine', {}, undefined],
    ['this machine, IPv6', { address: '::1', headers: { Host: '[::1]:4010' } }, undefined],
    [
      'this machine, IPv4 in IPv6',
      { address: '::ffff:127.0.0.1', headers: { Host: '127.0.0.1' } },
      undefined,
    ],
    ['another loopback address', { address: '127.8.9.1', headers: { Host: 'LocalHost' } }, undefined],
    ['another machine', { address: '192.168.1.20' }, FORBIDDEN],
    ['another machine that is IPv4 in IPv6', { address: '::ffff:10.0.0.1' }, FORBIDDEN],
    ['an address that only begins like ours', { address: '127.0.0.1.evil' }, FORBIDDEN],
    ['a rebound name', { method: 'GET', headers: { Host: 'evil.example:4010' } }, FORBIDDEN],
    ['a name that ends like ours', { headers: { Host: 'evil.localhost' } }, FORBIDDEN],
    ['a name that begins like ours', { headers: { Host: 'localhost.evil.example' } }, FORBIDDEN],
    ['a name that looks like an address', { headers: { Host: '127.0.0.1.evil.example' } }, FORBIDDEN],
    ['no Host', { raw: [] }, FORBIDDEN],
    ['two Hosts', { raw: ['Host', 'localhost', 'Host', 'evil.example'] }, FORBIDDEN],
    ['a write of the same origin', { headers: { Origin: 'http://localhost:4010' } }, undefined],
    ['a write of another origin', { headers: { Origin: 'https://evil.example' } }, FORBIDDEN],
    ['a write of another port', { headers: { Origin: 'http://localhost:3000' } }, FORBIDDEN],
    ['a form post of a page without an origin', { headers: { Origin: 'null' } }, FORBIDDEN],
    [
      'a deletion of another origin',
      { method: 'DELETE', headers: { Origin: 'http://a.example' } },
      FORBIDDEN,
    ],
    [
      'a preflight of another origin',
      { method: 'OPTIONS', headers: { Origin: 'http://a.example' } },
      FORBIDDEN,
    ],
    ['a read of another origin', { method: 'GET', headers: { Origin: 'https://evil.example' } }, undefined],
    ['in process', { address: IN_PROCESS }, undefined],
  ])('%s', (_, sent, expected) => expect(refusal(undefined, sent)).toBe(expected))

  it('says what to do', () => {
    expect(() => createGuard(undefined)(request({ address: '10.1.2.3' }))).toThrow(
      /10\.1\.2\.3.*--control-token/,
    )
  })
})

describe('with a token', () => {
  const from = (authorization: string): Sent => ({ headers: { Authorization: authorization } })
  it.each<[string, Sent, string | undefined]>([
    ['the token', from('Bearer s3cret'), undefined],
    ['the token, from anywhere', { ...from('bearer   s3cret'), address: '10.0.0.1' }, undefined],
    ['under any Host', { headers: { Host: 'ci.example', Authorization: 'Bearer s3cret' } }, undefined],
    ['nothing', {}, UNKNOWN],
    ['another token', from('Bearer s3cre'), UNKNOWN],
    ['the token and more', from('Bearer s3cret s3cret'), UNKNOWN],
    ['the token in another case', from('Bearer S3CRET'), UNKNOWN],
    ['another scheme', from('Basic s3cret'), UNKNOWN],
    ['two of them', { raw: ['Authorization', 'Bearer s3cret', 'Authorization', 'Bearer x'] }, UNKNOWN],
  ])('%s', (_, sent, expected) => expect(refusal('s3cret', sent)).toBe(expected))
})
