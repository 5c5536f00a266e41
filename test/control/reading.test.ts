import { expect, it } from 'vitest'
import { createCore } from '../../src/compose/core.ts'
import { api, call, sandboxPerTest } from './client.ts'

sandboxPerTest()

const names = async () => (await call('GET', '/namespaces')).body.map(({ name }: { name: string }) => name)

it.each([
  'report',
  'export',
  'requests',
  'clock',
  'keys',
  'keys/psk_pro/limits',
  'faults',
  'holds',
  'history',
  'snapshots',
  'pets',
  'state?of=now',
  'diff?a=start&b=now',
  'recording',
])('reading %s creates no namespace, and marks that it does not exist', async (path) => {
  const query = (name: string) => `/${path}${path.includes('?') ? '&' : '?'}namespace=${name}`
  const typo = await call('GET', query('wroker-1'))
  expect([typo.status, typo.headers.get('x-sandbox-namespace')]).toEqual([200, 'new'])
  expect((await call('HEAD', query('wroker-1'))).headers.get('x-sandbox-namespace')).toBe('new')
  expect(await names()).toEqual(['default'])
  await api('/pets', { key: 'psk_pro.worker-1' })
  const known = await call('GET', query('worker-1'))
  expect([known.status, known.headers.get('x-sandbox-namespace')]).toEqual([200, null])
  expect((await call('GET', `/${path}`)).headers.get('x-sandbox-namespace')).toBe(null)
})

it.each([
  ['GET', 'requests?limit=abc', undefined, 400],
  ['GET', 'report?nonsense=1', undefined, 400],
  ['GET', 'keys/nobody/limits', undefined, 404],
  ['GET', 'snapshots/none', undefined, 404],
  ['GET', 'history?branch=none', undefined, 400],
  ['GET', 'export?at=req_000009', undefined, 404],
  ['GET', 'clock?side=after', undefined, 400],
  ['GET', 'state?of=snapshot:none', undefined, 404],
  ['GET', 'diff?a=start&b=namespace:none', undefined, 404],
  ['POST', 'requests/wait', { match: { operationId: 'nope' } }, 400],
  ['POST', 'requests/wait', { match: {}, after: 'req_000009' }, 404],
  ['POST', 'requests/verify', {}, 400],
  ['POST', 'requests/verify', { match: {}, within: '9h' }, 400],
])('a refusal of %s /%s marks that the namespace does not exist', async (method, path, body, status) => {
  const refused = await call(method, `/${path}${path.includes('?') ? '&' : '?'}namespace=w1`, body)
  expect([refused.status, refused.headers.get('x-sandbox-namespace')]).toEqual([status, 'new'])
  expect(await names()).toEqual(['default'])
})

it('verify and wait create no namespace either, and see requests once it exists', async () => {
  const match = { operationId: 'listPets' }
  const verified = await call('POST', '/requests/verify?namespace=w1', { match, times: { exactly: 0 } })
  expect([verified.status, verified.headers.get('x-sandbox-namespace')]).toEqual([200, 'new'])
  const missed = await call('POST', '/requests/wait?namespace=w1', { match, within: '1ms' })
  expect([missed.status, missed.headers.get('x-sandbox-namespace')]).toEqual([409, 'new'])
  expect(await names()).toEqual(['default'])
  const found = call('POST', '/requests/wait?namespace=w1', { match, within: '60s' })
  const counted = call('POST', '/requests/verify?namespace=w1', { match, within: '60s' })
  await api('/pets', { key: 'psk_pro.w1' })
  expect((await found).body.namespace).toBe('w1')
  expect((await found).headers.get('x-sandbox-namespace')).toBe(null)
  expect((await counted).body).toEqual({ matched: 1 })
})

it.each([
  ['POST', 'rewind', { to: 'req_000001' }],
  ['POST', 'rewind', { undo: true }],
  ['POST', 'fork', { into: 'w2', at: 'req_000001' }],
  ['POST', 'keys', { plan: 'pro', key: 'psk_pro' }],
  ['DELETE', 'keys/nobody', undefined],
  ['PUT', 'keys/psk_pro/limits', { remaining: 301 }],
  ['POST', 'clock', { advance: '9999999d' }],
  ['DELETE', 'faults/fault_1', undefined],
  ['POST', 'holds/hold_1/release', undefined],
  ['POST', 'requests/req_000001/resend', undefined],
  ['DELETE', 'snapshots/none', undefined],
])('a refused %s /%s creates no namespace', async (method, path, body) => {
  expect((await call(method, `/${path}?namespace=w1`, body)).status).toBeGreaterThanOrEqual(400)
  expect(await names()).toEqual(['default'])
})

it('a fork creates the copy, not its source', async () => {
  expect((await call('POST', '/fork?namespace=w1', { into: 'w2' })).status).toBe(201)
  expect((await call('POST', '/fork?namespace=w1', { into: 'w1' })).status).toBe(409)
  expect(await names()).toEqual(['default', 'w2'])
})

it('reading a thousand unknown namespaces drops none', async () => {
  await api('/pets', { key: 'psk_pro.w1' })
  for (let i = 0; i < 1100; i++) await call('GET', `/clock?namespace=n${i}`)
  expect(await names()).toEqual(['default', 'w1'])
})

it('a compressed body is refused for its encoding, not for its bytes', async () => {
  const refused = await call('POST', '/reset', '\u001f\u008b', { 'content-encoding': 'gzip' })
  expect([refused.status, refused.headers.get('accept-encoding'), refused.body]).toEqual([
    415,
    'identity',
    { code: 'unsupported_media_type', message: 'Send the body without a Content-Encoding.', status: 415 },
  ])
})

it('a fixture that the overlay makes invalid is refused with its problems, not with a 500', async () => {
  const text = `overlay: 1.0.0
actions:
  - target: $.components.schemas.Pet
    update: { required: [color], properties: { color: { type: string } } }
`
  const core = await createCore({ fixture: 'empty', overlays: [{ name: 'color.yaml', text }] })
  const reply = await core.fetch('http://localhost/_sandbox/state?of=fixture:busy')
  expect([reply.status, await reply.json()]).toMatchObject([
    400,
    { code: 'invalid_body', message: expect.stringMatching(/pets\[0\]\.color is required/) },
  ])
  await core.close()
})
