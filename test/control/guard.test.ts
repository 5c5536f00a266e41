import { describe, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/compose/sandbox.ts'
import { createGuard } from '../../src/control/guard.ts'
import type { Request } from '../../src/world/traffic/message.ts'

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
  const error = createGuard(token)(request(sent))
  return error && `${error.status} ${error.code}`
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
    [
      'a write of the same origin, with a Host in another case',
      { headers: { Host: 'LocalHost:4010', Origin: 'http://localhost:4010' } },
      undefined,
    ],
    ['a write of another origin', { headers: { Origin: 'https://evil.example' } }, FORBIDDEN],
    ['a write of another port', { headers: { Origin: 'http://localhost:3000' } }, FORBIDDEN],
    ['a form post of a page without an origin', { headers: { Origin: 'null' } }, FORBIDDEN],
    [
      'a write of a page of another site whose browser sends no Origin',
      { headers: { 'Sec-Fetch-Site': 'cross-site' } },
      FORBIDDEN,
    ],
    [
      'a write without Origin of a page of its own',
      { headers: { 'Sec-Fetch-Site': 'same-origin' } },
      undefined,
    ],
    [
      'a write of a page whose dev server passes it on with another Host',
      { headers: { Origin: 'https://localhost:3000', 'Sec-Fetch-Site': 'same-origin' } },
      undefined,
    ],
    [
      'a write of a page with a rebound name that a dev server passes on',
      { headers: { Origin: 'http://evil.example:3000', 'Sec-Fetch-Site': 'same-origin' } },
      FORBIDDEN,
    ],
    [
      'a write of another local page',
      { headers: { Origin: 'http://localhost:3000', 'Sec-Fetch-Site': 'same-site' } },
      FORBIDDEN,
    ],
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

  it('has the remedy in its message', () => {
    const error = createGuard(undefined)(request({ address: '10.1.2.3' }))
    expect(error?.message).toMatch(/10\.1\.2\.3.*--control-token/)
    // The module and the plugin for Vite read no variables; a page cannot send a token before its origin is allowed.
    expect(error?.message).toMatch(/controlToken.*--control-origin/)
  })
})

/** The result for each combination of address, Host, origin and other header fields. */
describe('the table', () => {
  const ADDRESSES = { here: '127.0.0.1', elsewhere: '10.0.0.1' }
  const HOSTS = { ours: 'localhost:4010', rebound: 'evil.example:4010' }
  const ORIGINS = { none: undefined, same: 'http://localhost:4010', other: 'https://evil.example' }
  const FORWARDED = {
    none: {},
    Forwarded: { Forwarded: 'for=10.0.0.1' },
    'X-Forwarded-For': { 'x-forwarded-for': '10.0.0.1' },
    'X-Forwarded-Host': { 'X-FORWARDED-HOST': 'localhost' },
    'X-Real-IP': { 'X-Real-IP': '127.0.0.1' },
    Via: { Via: '1.1 cache' },
    'CF-Connecting-IP': { 'CF-Connecting-IP': '10.0.0.1' },
    'True-Client-IP': { 'True-Client-IP': '10.0.0.1' },
    'X-Client-IP': { 'X-Client-IP': '10.0.0.1' },
  }
  const TOKENS = { none: undefined, right: 'Bearer s3cret', wrong: 'Bearer guess' }

  const rows = Object.entries(ADDRESSES).flatMap(([where, address]) =>
    Object.entries(HOSTS).flatMap(([named, host]) =>
      Object.entries(ORIGINS).flatMap(([page, origin]) =>
        Object.entries(FORWARDED).flatMap(([through, forwarded]) =>
          Object.entries(TOKENS).flatMap(([shown, authorization]) =>
            ['GET', 'POST'].map((method) => ({
              row: `${method} from ${where}, Host ${named}, Origin ${page}, ${through}, token ${shown}`,
              sent: {
                method,
                address,
                headers: {
                  Host: host,
                  ...(origin && { Origin: origin }),
                  ...forwarded,
                  ...(authorization && { Authorization: authorization }),
                },
              },
              isLocal: where === 'here' && named === 'ours' && through === 'none',
              isOwn: method === 'GET' || page !== 'other',
              shown,
            })),
          ),
        ),
      ),
    ),
  )

  it('without a token, local requests pass, except writes of pages of another origin', () => {
    for (const { row, sent, isLocal, isOwn } of rows)
      expect(refusal(undefined, sent), row).toBe(isLocal && isOwn ? undefined : FORBIDDEN)
  })

  it('with a token, only requests with the token pass', () => {
    for (const { row, sent, shown } of rows)
      expect(refusal('s3cret', sent), row).toBe(shown === 'right' ? undefined : UNKNOWN)
  })
})

describe('a page of another site', () => {
  const names = async (sandbox: Sandbox) =>
    (await (await sandbox.fetch('/_sandbox/namespaces')).json()).map(({ name }: { name: string }) => name)
  const send = (sandbox: Sandbox, target: string, site: string, more: Record<string, string> = {}) =>
    sandbox.fetch(target, { headers: { 'Sec-Fetch-Site': site, ...more } })

  it('creates no namespace by a change', async () => {
    await using sandbox = await createSandbox({ listen: false })
    const label = (site: string) =>
      sandbox.fetch(`/_sandbox/label?namespace=${site}`, {
        method: 'PUT',
        body: '{"label":"a"}',
        headers: { 'Sec-Fetch-Site': site },
      })
    expect((await label('cross-site')).status).toBe(403)
    expect((await label('same-origin')).status).toBe(200)
    expect(await names(sandbox)).toEqual(['default', 'same-origin'])
  })

  const LONG = ['/recording', '/export', '/requests', '/history', '/state?of=now', '/diff?a=start&b=now']

  it.each(LONG)('gets no %s, which is expensive, and neither does a page of another origin', async (path) => {
    await using sandbox = await createSandbox({ listen: false })
    const status = async (headers: Record<string, string>) =>
      (await sandbox.fetch(`/_sandbox${path}`, { headers })).status
    for (const site of ['cross-site', 'same-site']) {
      expect(await status({ 'Sec-Fetch-Site': site })).toBe(403)
      const embedded = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' }
      expect(await status({ 'Sec-Fetch-Site': site, ...embedded })).toBe(403)
      const opened = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' }
      expect(await status({ 'Sec-Fetch-Site': site, ...opened })).toBe(200)
    }
    for (const site of ['same-origin', 'none']) expect(await status({ 'Sec-Fetch-Site': site })).toBe(200)
    expect(await status({ origin: 'https://evil.example' })).toBe(403)
    expect(await status({ origin: 'http://localhost' })).toBe(200)
    expect(await status({})).toBe(200)
    await using open = await createSandbox({ listen: false, controlToken: 's3cret' })
    const token = { authorization: 'Bearer s3cret', 'Sec-Fetch-Site': 'cross-site' }
    expect((await open.fetch(`/_sandbox${path}`, { headers: token })).status).toBe(200)
  })

  it('creates a namespace by a key', async () => {
    await using sandbox = await createSandbox({ listen: false })
    const key = { authorization: 'Bearer psk_pro.theirs' }
    expect((await send(sandbox, '/v1/pets', 'cross-site', key)).status).toBe(200)
    expect(await names(sandbox)).toEqual(['default', 'theirs'])
  })
})

describe('header fields for browsers', () => {
  const PANEL = 'http://localhost:6006'
  const token = { authorization: 'Bearer s3cret' }
  const preflight = (origin: string) => ({
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, content-type',
    },
  })

  it('responses have nosniff and same-origin, including refusals', async () => {
    await using sandbox = await createSandbox({ listen: false })
    for (const path of ['/health', '/docs/deprecations', '/nope']) {
      const { headers } = await sandbox.fetch(`/_sandbox${path}`)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
      expect(headers.get('access-control-allow-origin')).toBeNull()
      expect(headers.get('vary')).toBeNull()
    }
  })

  it('only pages of a control origin may call with the token', async () => {
    await using sandbox = await createSandbox({
      listen: false,
      controlToken: 's3cret',
      controlOrigins: [PANEL, 'https://docs.example'],
    })
    const allowed = await sandbox.fetch('/_sandbox/clock', preflight(PANEL))
    expect(allowed.status).toBe(204)
    expect(allowed.headers.get('access-control-allow-origin')).toBe(PANEL)
    expect(allowed.headers.get('access-control-allow-methods')).toContain('POST')
    expect(allowed.headers.get('access-control-allow-headers')).toBe(
      'Authorization, Content-Type, X-Sandbox-Caller',
    )
    expect(allowed.headers.get('vary')).toBe('Origin')
    const read = await sandbox.fetch('/_sandbox/clock', { headers: { origin: PANEL, ...token } })
    expect(read.status).toBe(200)
    expect(read.headers.get('access-control-allow-origin')).toBe(PANEL)
    const without = await sandbox.fetch('/_sandbox/clock', { headers: { origin: PANEL } })
    expect(without.status).toBe(401)
    expect(without.headers.get('access-control-allow-origin')).toBe(PANEL)
    const other = await sandbox.fetch('/_sandbox/clock', preflight('https://evil.example'))
    expect(other.status).toBe(401)
    expect(other.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('a control origin must be valid, and needs a token', async () => {
    await expect(createSandbox({ listen: false, controlOrigins: [PANEL] })).rejects.toThrow(/--control-token/)
    for (const origin of ['localhost:6006', 'http://a/b', '*', 'null', ''])
      await expect(
        createSandbox({ listen: false, controlToken: 'x', controlOrigins: [origin] }),
      ).rejects.toThrow(/is not a valid origin; use/)
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

  it('says which token it is, also in a public sandbox', () => {
    expect(createGuard('s3cret')(request(from('Bearer psk_pro.other')))?.message).toBe(
      'The control token is not valid; in a public sandbox, it is the key of the world.',
    )
  })
})
