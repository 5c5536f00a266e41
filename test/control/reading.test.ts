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
])('reading %s makes no namespace, and says that there is none', async (path) => {
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

it('verify and wait make none either, and see what is received once it is there', async () => {
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

it('reading a thousand names drops no namespace', async () => {
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

it('a fixture that does not fit the overlay is refused with its problems, not as a failure of the sandbox', async () => {
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
