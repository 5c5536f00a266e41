import { describe, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/compose/sandbox.ts'
import { apiOf, controlOf } from './client.ts'

const open = async (options: Parameters<typeof createSandbox>[0] = {}) => {
  const sandbox = await createSandbox({
    listen: false,
    now: '2026-11-19T12:34:56Z',
    freeze: true,
    ...options,
  })
  return { sandbox, api: apiOf(sandbox.fetch), control: controlOf(sandbox.fetch) }
}

const decisions = async (sandbox: Sandbox) => (await sandbox.requests()).map(({ decision }) => decision)

describe('recorded exchanges', () => {
  it('have no OPTIONS, for any path', async () => {
    const { sandbox } = await open()
    for (const path of ['/v1/pets', '/v1/nope', '/pets', '/', '/openapi.json', '/_sandbox/clock', '/v1/%zz'])
      await sandbox.fetch(path, { method: 'OPTIONS' })
    expect(await sandbox.requests()).toEqual([])
    expect((await sandbox.report()).requests).toBe(0)
    await sandbox.close()
  })

  it('a preference that is not possible is a refused request, others are forced', async () => {
    const { sandbox, api } = await open()
    for (const prefer of ['code=302', 'example=nope', 'code=404', 'code=200'])
      await api('/pets', { headers: { prefer } })
    expect(await decisions(sandbox)).toEqual(['refused:request', 'refused:request', 'forced', 'forced'])
    expect((await sandbox.report()).invalidRequests).toBe(2)
    await sandbox.close()
  })

  it('a body that was not awaited is not kept', async () => {
    const { sandbox, api } = await open()
    await api('/pets', { key: 'nope', json: { name: 'Kit', categoryId: 2 } })
    expect((await sandbox.requests())[0]).toMatchObject({
      status: 401,
      request: { body: '… (not kept)', truncated: true },
    })
    await sandbox.close()
  })
})

describe('a latency fault', () => {
  it('delays a forced answer, too', async () => {
    const { sandbox, api } = await open()
    await sandbox.faults.add({ effect: { latency: '1ms' } })
    const response = await api('/pets', { headers: { prefer: 'code=418' } })
    expect(response.status).toBe(418)
    expect(response.headers.get('preference-applied')).toBe('code=418')
    expect(await decisions(sandbox)).toEqual(['fault:fault_1'])
    await sandbox.close()
  })
})

describe('bans', () => {
  it('a ban by a control call does not change an earlier Retry-After', async () => {
    const { sandbox, api, control } = await open({ limits: { free: '1/100' } })
    await api('/pets', { key: 'psk_free' })
    await api('/pets', { key: 'psk_free' })
    await control('PUT', '/keys/psk_free/ban', { seconds: 60 })
    await api('/pets', { key: 'psk_free' })
    expect((await sandbox.report()).earlyRetries.count).toBe(1)
    await sandbox.close()
  })

  it('a reset restarts the count of refusals', async () => {
    const { sandbox, api, control } = await open({ limits: { free: '2/100' } })
    const call = async () => (await (await api('/pets', { key: 'psk_free' })).json()).code
    await call()
    await call()
    expect(await call()).toBe('rate_limit_exceeded')
    await control('POST', '/reset', { only: ['bans'] })
    expect(await call()).toBe('rate_limit_exceeded')
    expect(await call()).toBe('api_key_banned')
    await sandbox.close()
  })
})

it('the limits call and a request agree on the end of a window that has not begun', async () => {
  const { sandbox, api, control } = await open({ decisions: { 'limits.minute': 'clock' } })
  const { minute } = (await control('GET', '/keys/psk_free/limits')).body
  expect(minute.resetsAt).toBe('2026-11-19T12:35:00.000Z')
  const { headers } = await api('/pets', { key: 'psk_free' })
  expect(Number(headers.get('x-ratelimit-reset')) * 1000).toBe(Date.parse(minute.resetsAt))
  await sandbox.close()
})

it('the clock accepts every year to 9999', async () => {
  const { sandbox, api, control } = await open()
  expect((await control('POST', '/clock', { set: '9999-12-31T23:59:59.999Z' })).status).toBe(200)
  expect((await api('/pets')).headers.get('date')).toBe('Fri, 31 Dec 9999 23:59:59 GMT')
  expect((await control('POST', '/clock', { advance: '1ms' })).status).toBe(400)
  await sandbox.close()
})
