import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/compose/sandbox.ts'
import { hasChromium, launchChromium } from './chromium.ts'

describe.skipIf(!hasChromium)('a page of another origin', () => {
  let browser: Browser
  let page: Page
  let pages: Server
  let sandbox: Sandbox

  beforeAll(async () => {
    sandbox = await createSandbox({ port: 0 })
    pages = createServer((_, response) => response.end('<!doctype html><title>shop</title>')).listen(
      0,
      '127.0.0.1',
    )
    await once(pages, 'listening')
    browser = await launchChromium()
    page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`)
  })
  afterAll(async () => {
    await browser?.close()
    pages?.close()
    await sandbox?.close()
  })

  const NAMES = [
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'Retry-After',
    'Deprecation',
    'Sunset',
    'Link',
    'Location',
    'WWW-Authenticate',
    'Date',
    'X-Request-Id',
  ]

  /** A response, as a script of the page sees it. */
  const call = (path: string, key?: string, body?: unknown) =>
    page.evaluate(
      async ({ url, key, body, names }) => {
        const response = await fetch(url, {
          method: body ? 'POST' : 'GET',
          headers: {
            ...(key && { Authorization: `Bearer ${key}` }),
            ...(body ? { 'Content-Type': 'application/json' } : {}),
          },
          ...(body ? { body: JSON.stringify(body) } : {}),
        })
        const headers: Record<string, string | null> = {}
        for (const name of names) headers[name] = response.headers.get(name)
        return { status: response.status, headers, body: await response.json() }
      },
      { url: sandbox.baseUrl + path, key, body, names: NAMES },
    )

  it('lists and creates', async () => {
    const list = await call('/pets?limit=2', 'psk_pro.lists')
    expect(list.status).toBe(200)
    expect(list.body).toHaveLength(2)
    expect(list.headers).toMatchObject({
      'X-RateLimit-Limit': '300',
      'X-RateLimit-Remaining': '299',
      'X-Request-Id': 'req_000001',
    })
    const created = await call('/pets', 'psk_pro.lists', { name: 'Kit', categoryId: 2 })
    expect(created).toMatchObject({ status: 201, headers: { Location: '/v1/pets/13' } })
  })

  it('reads the deprecation of getPet, also on a 404', async () => {
    for (const [id, status] of [
      [1, 200],
      [999, 404],
    ]) {
      const answer = await call(`/pets/${id}`, 'psk_pro')
      expect(answer.status).toBe(status)
      expect(answer.headers).toMatchObject({
        Deprecation: '@1764892800',
        Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
      })
      expect(answer.headers.Link).toContain('successor-version')
    }
  })

  it('reads the errors 401 and 429', async () => {
    const unknown = await call('/pets', 'nope')
    expect(unknown).toMatchObject({
      status: 401,
      body: { code: 'invalid_api_key' },
      headers: { 'X-RateLimit-Remaining': '60' },
    })
    expect(unknown.headers['WWW-Authenticate']).toContain('invalid_token')
    expect((await call('/pets')).body.code).toBe('missing_api_key')
    const limited = await call('/pets', 'psk_limited')
    expect(limited).toMatchObject({ status: 429, body: { code: 'rate_limit_exceeded' } })
    expect(Number(limited.headers['Retry-After'])).toBeGreaterThan(0)
  })

  it('reads the 404 of a path without /v1', async () => {
    const url = sandbox.baseUrl.replace('/v1', '/pets')
    const message = await page.evaluate(
      async (url) =>
        (await (await fetch(url, { headers: { Authorization: 'Bearer psk_pro' } })).json()).message,
      url,
    )
    expect(message).toContain('/v1/pets')
  })

  it('cannot change the clock or read the journal', async () => {
    const attempt = (path: string, method: string) =>
      page.evaluate(
        async ({ url, method }) => {
          try {
            return (await fetch(url, { method, mode: 'cors' })).status
          } catch {
            return 'blocked'
          }
        },
        { url: sandbox.controlUrl + path, method },
      )
    expect(await attempt('/requests', 'GET')).toBe('blocked')
    expect(await attempt('/clock', 'DELETE')).toBe('blocked')
    const before = await sandbox.clock.now()
    await page.evaluate(
      (url) => fetch(url, { method: 'POST', mode: 'no-cors', body: '{"frozen":true}' }).catch(() => {}),
      `${sandbox.controlUrl}/clock`,
    )
    expect((await sandbox.clock.now()).frozen).toBe(before.frozen)
  })

  it('of a control origin changes the clock with the token only', async () => {
    const { origin } = new URL(page.url())
    await using open = await createSandbox({ port: 0, controlToken: 's3cret', controlOrigins: [origin] })
    const freeze = (token: string) =>
      page.evaluate(
        async ({ url, token }) => {
          const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
          const response = await fetch(url, { method: 'POST', headers, body: '{"frozen":true}' })
          return `${response.status} ${(await response.json()).frozen}`
        },
        { url: `${open.controlUrl}/clock`, token },
      )
    expect(await freeze('guess')).toBe('401 undefined')
    expect(await freeze('s3cret')).toBe('200 true')
  })

  describe.each(['reset', 'empty'] as const)('a lost answer (%s) is an error for it', (wire) => {
    const create = (key: string) =>
      page.evaluate(
        async ({ url, key }) => {
          try {
            const response = await fetch(url, {
              method: 'POST',
              headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
              body: '{"name":"Ghost","categoryId":2}',
            })
            return `${response.status} ${await response.text()}`
          } catch (error) {
            return String(error)
          }
        },
        { url: `${sandbox.baseUrl}/pets`, key },
      )

    /** Sends parallel reads, which leave as many open connections. */
    const warmUp = (key: string, times: number) =>
      page.evaluate(
        ({ url, key, times }) =>
          Promise.all(
            Array.from({ length: times }, async (_, i) => {
              const response = await fetch(`${url}?i=${i}`, { headers: { Authorization: `Bearer ${key}` } })
              await response.text()
            }),
          ),
        { url: `${sandbox.baseUrl}/pets`, key, times },
      )

    it.each([
      ['on the first request of the page', 0],
      ['on a connection that was used before', 1],
      ['with as many connections as a browser opens', 12],
    ])('%s', async (name, before) => {
      const world = sandbox.namespace(`lost-${wire}-${before}`)
      const key = world.key('pro')
      for (let i = 0; i < 3; i++) {
        await warmUp(key, before)
        await world.faults.add({
          match: { operationId: 'createPet' },
          effect: { wire },
          when: 'after',
          times: 1,
        })
        expect(await create(key), name).toBe('TypeError: Failed to fetch')
        expect((await world.export()).pets).toHaveLength(13 + i)
      }
      expect(await create(key)).toMatch(/^201 /)
    })
  })
})

describe.skipIf(!hasChromium)('a page of the server in which the sandbox is mounted', () => {
  const SHOP = `<!doctype html><title>shop</title><link rel="stylesheet" href="a.css"><script src="b.js"></script>
<button>Add</button><output></output><script>
const headers = { authorization: 'Bearer psk_pro', 'content-type': 'application/json' }
document.querySelector('button').onclick = () =>
  fetch('/v1/pets', { method: 'POST', headers, body: '{"name":"Ghost","categoryId":2}' })
    .then(({ status }) => status, String)
    .then((text) => { document.querySelector('output').textContent = text })
</script>`

  it('detects a lost answer if the rule existed before the page, and creates no duplicate', async () => {
    await using sandbox = await createSandbox({ listen: false })
    const server = createServer((message, response) =>
      sandbox.middleware(message, response, () =>
        response
          .setHeader('content-type', message.url === '/' ? 'text/html' : 'text/plain')
          .end(message.url === '/' ? SHOP : ''),
      ),
    ).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const browser = await launchChromium()
    try {
      const page = await browser.newPage()
      for (let round = 0; round < 20; round++) {
        await sandbox.reset()
        const match = { operationId: 'createPet' } as const
        await sandbox.faults.add({ match, effect: { wire: 'reset' }, when: 'after', times: 1 })
        await page.goto(url)
        await page.getByRole('button').click()
        await page.getByRole('status').filter({ hasText: /./ }).waitFor()
        expect(await page.getByRole('status').textContent()).toBe('TypeError: Failed to fetch')
        expect((await sandbox.export()).pets).toHaveLength(13)
      }
    } finally {
      await browser.close()
      server.closeAllConnections()
      server.close()
    }
  })

  it('detects a lost answer if the first bytes on a new connection are late', async () => {
    await using sandbox = await createSandbox({ port: 0 })
    let late = false
    const slow = createTcpServer((client) => {
      const server = connect(Number(new URL(sandbox.baseUrl).port), '127.0.0.1')
      client.on('error', () => server.destroy())
      server.on('error', () => client.resetAndDestroy())
      server.pipe(client)
      client.once('data', async (head) => {
        client.pause()
        if (late && head.includes('POST')) {
          late = false
          await setTimeout(300)
        }
        server.write(head)
        client.pipe(server)
      })
    }).listen(0, '127.0.0.1')
    await once(slow, 'listening')
    const browser = await launchChromium()
    try {
      const page = await browser.newPage()
      await page.goto(`http://127.0.0.1:${(slow.address() as AddressInfo).port}/_sandbox/health`)
      await sandbox.faults.add({
        match: { operationId: 'createPet' },
        effect: { wire: 'reset' },
        when: 'after',
        times: 1,
      })
      late = true
      const create = () =>
        page.evaluate(() =>
          fetch('/v1/pets', {
            method: 'POST',
            headers: { authorization: 'Bearer psk_pro', 'content-type': 'application/json' },
            body: '{"name":"Ghost","categoryId":2}',
          }).then(({ status }) => status, String),
        )
      expect(await create()).toBe('TypeError: Failed to fetch')
      expect((await sandbox.export()).pets).toHaveLength(13)
      expect(await create()).toBe(201)
    } finally {
      await browser.close()
      slow.close()
    }
  })
})
