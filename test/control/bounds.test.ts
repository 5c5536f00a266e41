import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/sandbox.ts'
import { apiOf, type Call, controlOf } from './client.ts'

let sandbox: Sandbox
let call: Call
let api: ReturnType<typeof apiOf>

beforeEach(async () => {
  sandbox = await createSandbox({ listen: false, log: 'silent', now: '2026-11-19T12:34:56Z', freeze: true })
  call = controlOf(sandbox.fetch)
  api = apiOf(sandbox.fetch)
})
afterEach(() => sandbox.close())

describe('what a request leaves behind', () => {
  it('names the first ignored inputs and counts the others', async () => {
    const names = Array.from({ length: 3300 }, (_, i) => `a${i}`)
    await api(`/pets?${names.join('&')}`)
    const [entry] = (await call('GET', '/requests')).body
    expect(entry.warnings).toHaveLength(21)
    expect(entry.warnings[0]).toBe('parameter a0 is not known and was ignored')
    expect(entry.warnings[20]).toBe('3,280 more that are not known were ignored')
    const { ignoredInputs } = (await call('GET', '/report')).body
    expect(ignoredInputs.count).toBe(3300)
    const fields = Object.fromEntries(names.map((name) => [`${name}${'x'.repeat(500)}`, 1]))
    await api('/pets', { json: { name: 'Kit', categoryId: 1, ...fields } })
    const { text } = await call('GET', '/requests?operationId=createPet')
    expect(text.length).toBeLessThan(30_000)
  })

  it('a refusal names so many reasons and counts the others', async () => {
    const strict = await createSandbox({ listen: false, log: 'silent', strict: true })
    const query = Array.from({ length: 3300 }, (_, i) => `a${i}`).join('&')
    const refused = await apiOf(strict.fetch)(`/pets?${query}`)
    const { message } = (await refused.json()) as { message: string }
    expect(message.endsWith('a19 is no parameter of listPets; and 3,280 more')).toBe(true)
    await strict.close()
  })
})

describe('a key that is not valid', () => {
  it('belongs to the namespace that it names: journal, report and clock', async () => {
    await call('POST', '/clock?namespace=w1', { set: '2030-01-01T00:00:00Z' })
    const refused = await api('/pets', { key: 'psk_expired.w1' })
    expect(refused.headers.get('date')).toBe('Tue, 01 Jan 2030 00:00:00 GMT')
    expect(refused.headers.get('x-ratelimit-reset')).toBe(String(Date.UTC(2030, 0, 1, 0, 1) / 1000))
    await api('/pets', { key: 'nobody.w2' })
    await api('/pets', { key: 'nobody.not/well/formed' })
    expect((await call('GET', '/requests?namespace=w1')).body).toMatchObject([
      { id: 'req_000001', status: 401 },
    ])
    expect((await call('GET', '/report?namespace=w2')).body).toMatchObject({ requests: 1 })
    expect((await call('GET', '/requests')).body).toMatchObject([{ status: 401 }])
    expect((await call('POST', '/requests/verify?namespace=w1', { match: { status: 401 } })).status).toBe(200)
  })
})

describe('when there are a thousand namespaces', () => {
  const fill = async (from: number, to: number, key: string) => {
    for (let i = from; i < to; i++) await api('/pets?limit=1', { key: `${key}.n${i}` })
  }

  it('what was set by hand stays, and a refused key protects and costs nobody anything', async () => {
    await call('PUT', '/keys/psk_free/ban?namespace=banned', { seconds: 3600 })
    await api('/pets', { key: 'nobody.refused' })
    await fill(0, 997, 'psk_pro')
    // There is room for one only: it is that of the refused.
    await call('GET', '/report?namespace=other')
    const names = async () =>
      (await call('GET', '/namespaces')).body.map(({ name }: { name: string }) => name)
    expect(await names()).toHaveLength(1000)
    await api('/pets', { key: 'psk_pro.more' })
    expect(await names()).toContain('banned')
    expect(await names()).not.toContain('refused')
    expect(await names()).toContain('n0')
    await fill(1000, 1010, 'nobody')
    expect(await names()).toContain('n0')
    await fill(2000, 3100, 'psk_pro')
    expect(await names()).toContain('banned')
    expect((await api('/pets', { key: 'psk_free.banned' })).status).toBe(429)
  })
})
