import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SandboxFetch } from '../../src/web/fetch.ts'
import { temporaryFolder } from '../support/folder.ts'
import { hasWorkerd, startWorkerd, type Workerd } from '../support/workerd.ts'

const PUBLIC = { PETSTORE_SANDBOX_PUBLIC: 'true' }

interface Made {
  readonly key: string
  readonly namespace: string
  readonly expiresAt: string
}

describe.skipIf(!hasWorkerd)('a public sandbox', () => {
  const folder = temporaryFolder()
  let workerd: Workerd
  let fetch: SandboxFetch
  beforeAll(async () => {
    workerd = await startWorkerd([PUBLIC, {}], folder)
    fetch = workerd.at(PUBLIC)
  })
  afterAll(() => workerd.close())

  const make = async (): Promise<Made> => {
    const response = await fetch('/_sandbox/worlds', { method: 'POST' })
    expect(response.status).toBe(201)
    return (await response.json()) as Made
  }

  const send = async (method: string, path: string, key?: string, json?: unknown) => {
    const response = await fetch(path, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }

  it('creates a namespace for everybody, whose control API requires its key', async () => {
    const { key, namespace, expiresAt } = await make()
    expect(namespace).toMatch(/^[0-9a-f]{32}$/)
    expect(key).toBe(`psk_pro.${namespace}`)
    expect((Date.parse(expiresAt) - Date.now()) / 86_400_000).toBeCloseTo(7, 2)
    const first = await fetch(`/_sandbox/pets?namespace=${namespace}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect([first.status, first.headers.get('x-sandbox-namespace')]).toEqual([200, null])
    expect((await send('GET', `/_sandbox/namespaces?namespace=${namespace}`, key)).body).toMatchObject([
      { name: namespace, pets: 12 },
    ])
    expect((await send('GET', `/_sandbox/pets?namespace=${namespace}`)).body.message).toBe(
      'Send the control token, in a public sandbox the key of the world, as "Authorization: Bearer <token>".',
    )
    expect(await send('POST', '/v1/pets', key, { name: 'Kit', categoryId: 1 })).toMatchObject({ status: 201 })
    expect(
      await send('POST', `/_sandbox/clock?namespace=${namespace}`, key, { advance: '61s' }),
    ).toMatchObject({
      status: 200,
    })
    await workerd.kill()
    const exported = await send('GET', `/_sandbox/export?namespace=${namespace}`, key)
    expect(exported).toMatchObject({ status: 200 })
    expect(exported.body.pets.at(-1)).toMatchObject({ name: 'Kit' })
  })

  it('lets pages of other origins read why a request is refused', async () => {
    const headers = { origin: 'https://page.test', authorization: 'Bearer psk_pro.gone' }
    const response = await fetch('/v1/pets', { headers })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([401, '*'])
    const made = await fetch('/_sandbox/worlds', { method: 'POST', headers: { origin: 'https://page.test' } })
    expect([made.status, made.headers.get('x-content-type-options')]).toEqual([201, 'nosniff'])
  })

  it('lets nobody read, change or drop the namespace of another user', async () => {
    const [mine, theirs] = [await make(), await make()]
    const of = (path: string) => `/_sandbox${path}?namespace=${theirs.namespace}`
    for (const key of [mine.key, 'psk_pro', `psk_free.${theirs.namespace}`, undefined]) {
      for (const path of ['/export', '/requests', '/recording', '/history', '/keys', '/events', '/metrics'])
        expect((await send('GET', of(path), key)).status, `${key} ${path}`).toBe(401)
      expect((await send('POST', of('/reset'), key)).status).toBe(401)
      expect((await send('DELETE', `/_sandbox/namespaces/${theirs.namespace}`, key)).status).toBe(401)
    }
    expect((await send('GET', '/_sandbox/requests?namespace=*', mine.key)).status).not.toBe(200)
    expect((await send('GET', '/_sandbox/namespaces', mine.key)).status).toBe(401)
    const own = `?namespace=${mine.namespace}`
    expect((await send('POST', `/_sandbox/fork${own}`, mine.key, { into: theirs.namespace })).status).toBe(
      403,
    )
    for (const state of [`namespace:${theirs.namespace}`, `namespace%3A${theirs.namespace}`])
      for (const path of [
        `/diff${own}&a=now&b=${state}`,
        `/state${own}&of=${state}`,
        `/diff${own}&%61=${state}&b=now`,
      ])
        expect((await send('GET', `/_sandbox${path}`, mine.key)).status, path).toBe(404)
    expect((await send('GET', '/v1/pets', theirs.key)).body).toHaveLength(12)
  })

  it('has no namespace that was not created, and a read-only default', async () => {
    expect(await send('GET', '/v1/pets', 'psk_pro.w1')).toMatchObject({
      status: 401,
      body: { code: 'invalid_api_key', message: expect.stringContaining('POST /_sandbox/worlds') },
    })
    const headers = { authorization: 'Bearer psk_pro.w1' }
    const refused = await fetch('/v1/pets', { headers })
    expect([refused.headers.get('x-ratelimit-limit'), refused.headers.get('x-request-id')]).toEqual([
      '60',
      'req_000000',
    ])
    expect((await send('GET', '/v1/pets', 'psk_pro')).status).toBe(200)
    expect(await send('POST', '/v1/pets', 'psk_pro', { name: 'Kit', categoryId: 1 })).toMatchObject({
      status: 403,
      body: { code: 'control_forbidden' },
    })
    for (const path of ['/export', '/requests', '/namespaces'])
      expect((await send('GET', `/_sandbox${path}`)).status).toBe(401)
    const elsewhere = await workerd.at({})('/_sandbox/worlds', { method: 'POST' })
    expect([elsewhere.status, await elsewhere.text()]).toEqual([501, expect.stringContaining('not public')])
  })

  it('bounds a namespace, and drops it with all its data', async () => {
    const { key, namespace } = await make()
    const big = { pets: [{ name: 'x'.repeat(120_000), categoryId: 1 }] }
    expect((await send('POST', `/_sandbox/seed?namespace=${namespace}`, undefined, big)).status).toBe(401)
    const { status, body } = await send('POST', `/_sandbox/seed?namespace=${namespace}`, key, big)
    expect([status, body.message]).toEqual([413, expect.stringMatching(/^The body is larger than 100 KiB, /)])
    await send('POST', '/v1/pets', key, { name: 'Kit', categoryId: 1 })
    await fetch(`/__expire/${namespace}`)
    expect((await send('GET', '/v1/pets', key)).status).toBe(401)
    expect((await send('GET', `/_sandbox/export?namespace=${namespace}`, key)).status).toBe(404)
  })
})
