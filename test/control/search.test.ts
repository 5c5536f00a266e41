import { expect, it, vi } from 'vitest'
import { jsonOf } from '../../src/contract/openapi/json.ts'
import { Matcher, parsedBody } from '../../src/control/match.ts'
import { refusal } from '../../src/control/wait.ts'
import { exchange } from '../support/exchange.ts'
import { api, call, sandboxPerTest } from './client.ts'

vi.mock('../../src/contract/openapi/json.ts', { spy: true })

sandboxPerTest()

it('a body is parsed once, even if several calls search it', async () => {
  const bodies = Array.from({ length: 50 }, (_, i) => ({ name: `${i}${'x'.repeat(13_000)}`, categoryId: i }))
  for (const json of bodies) await api('/pets', { key: 'psk_enterprise', json })
  vi.mocked(jsonOf).mockClear()
  const match = { operationId: 'createPet', body: { categoryId: -1 } }
  for (let i = 0; i < 3; i++) {
    expect((await call('POST', '/requests/verify', { match })).body.nearest).toHaveLength(3)
    await Promise.all([
      call('POST', '/requests/wait', { match, within: '1ms' }),
      call('POST', '/requests/verify', { match: { body: { categoryId: i } }, times: { exactly: 2 } }),
    ])
  }
  const pets = vi.mocked(jsonOf).mock.calls.filter(([text]) => text.startsWith('{"name"'))
  expect(pets).toHaveLength(bodies.length)
})

it('the words of a finding and of a reason are found', async () => {
  await api('/pets/1')
  await api('/pets/999')
  await api('/pets', { key: 'psk_limited' })
  const found = async (q: string) =>
    (await call('GET', `/requests?${new URLSearchParams({ q })}`)).body.map(({ id }: { id: string }) => id)
  expect(await found('deprecated-call')).toEqual(['req_000001', 'req_000002'])
  expect(await found('minute used up')).toEqual(['req_000003'])
})

it('a parsed body is kept only if it takes no more memory than is counted for its text', () => {
  const kept = (body: string) => {
    const message = { headers: [], body }
    const value = parsedBody(message)
    parsedBody({ headers: [], body: '{}' })
    return parsedBody(message) === value
  }
  expect(kept(JSON.stringify({ name: 'x'.repeat(13_000), categoryId: 1 }))).toBe(true)
  expect(kept('{"name":"Kit","categoryId":1}')).toBe(true)
  expect(kept(`[${Array(5000).fill('{}').join(',')}]`)).toBe(false)
  expect(kept(JSON.stringify({ name: '\u{1F431}'.repeat(6000) }))).toBe(false)
  expect(parsedBody({ headers: [], body: '[1,' })).toBe(parsedBody({ headers: [], body: '' }))
})

it('the nearest exchanges are found in steps, the newest first among equal ones', () => {
  const exchanges = Array.from({ length: 1000 }, (_, i) =>
    exchange({ id: `req_${i}`, status: i % 2 ? 201 : 400, method: i < 500 ? 'POST' : 'GET' }),
  )
  const members = { code: 'not_received', message: 'none', status: 409 } as const
  const steps = refusal(members, exchanges, new Matcher({ status: 201, method: 'POST' }), () => undefined)
  for (let taken = 0; ; taken++) {
    const { done, value } = steps.next()
    if (!done) continue
    const { nearest, ...others } = JSON.parse(value.body as string)
    expect(nearest.map(({ id }: { id: string }) => id)).toEqual(['req_499', 'req_497', 'req_495'])
    expect(others).toEqual(members)
    expect(taken).toBeGreaterThan(200)
    return
  }
})
