import { get, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/compose/sandbox.ts'
import { parseRaw, sendRaw } from '../node/http/raw.ts'
import { overSocket } from '../support/over-socket.ts'
import { apiOf, controlOf } from './client.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await createSandbox({ port: 0, log: 'silent' })
})
afterAll(() => sandbox.close())

const raw = async (head: string) =>
  parseRaw(await sendRaw(sandbox.port, `${head}\r\nConnection: close\r\n\r\n`))

it('a DNS name that was rebound to this machine only gets the deprecation page', async () => {
  const rebound = await raw('GET /_sandbox/keys HTTP/1.1\r\nHost: evil.example')
  expect([rebound.status, JSON.parse(rebound.body).code]).toEqual([403, 'control_forbidden'])
  const absolute = await raw('GET http://localhost/_sandbox/keys HTTP/1.1\r\nHost: evil.example')
  expect(absolute.status).toBe(403)
  const page = await raw('GET /_sandbox/docs/deprecations HTTP/1.1\r\nHost: evil.example')
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
})

it('a form that a page of another origin submits changes nothing', async () => {
  const body = '{"advance":"1d"}'
  const form = [
    'POST /_sandbox/clock HTTP/1.1',
    `Host: localhost:${sandbox.port}`,
    'Origin: http://evil.example',
    'Content-Type: text/plain',
    `Content-Length: ${body.length}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
  expect(parseRaw(await sendRaw(sandbox.port, form)).status).toBe(403)
  expect(Date.parse((await sandbox.clock.now()).now)).toBeLessThan(Date.now() + 60_000)
})

it('accepts fixtures larger than any body of the API', async () => {
  const call = controlOf(overSocket(sandbox.port))
  const pets = Array.from({ length: 3000 }, (_, i) => ({
    name: `pet ${i} ${'x'.repeat(100)}`,
    categoryId: i,
  }))
  expect((await call('POST', '/seed?namespace=big', { pets })).body).toEqual({ pets: 3000 })
})

it('a client that does not read its events is disconnected, and blocks nothing', async () => {
  const response = await new Promise<IncomingMessage>((resolve) => {
    get({ port: sandbox.port, path: '/_sandbox/events?namespace=deaf' }, resolve)
  })
  response.pause()
  const body = JSON.stringify({ name: 'x'.repeat(15_000), categoryId: 1 })
  const headers = { authorization: 'Bearer psk_enterprise.deaf', 'content-type': 'application/json' }
  // A client that continues to read soon gets the last event; a later one finds the connection broken.
  const cut = new Promise<string>((resolve) => {
    let last = ''
    response.on('data', (chunk: Buffer) => {
      last = `${last}${chunk}`.slice(-100)
    })
    response.on('end', () => resolve(last))
    response.on('error', ({ message }) => resolve(message))
  })
  // More than the socket buffers can hold.
  for (let sent = 0; sent < 3000; sent += 100) {
    await Promise.all(
      Array.from({ length: 100 }, () => sandbox.fetch('/v1/pets', { method: 'POST', headers, body })),
    )
    await new Promise(setImmediate)
  }
  response.resume()
  expect(await cut).toMatch(/^aborted$|You read too slowly and are cut off; subscribe again\.\n\n$/)
})

it('subscribers that do not read share one bound, and their number is bounded', async () => {
  const url = { port: sandbox.port, path: '/_sandbox/events?namespace=many', agent: false }
  const unread = await Promise.all(
    Array.from(
      { length: 300 },
      () =>
        new Promise<IncomingMessage>((resolve) => {
          get(url, (response) => {
            response.on('error', () => {})
            resolve(response.pause())
          })
        }),
    ),
  )
  const before = process.memoryUsage()
  const body = JSON.stringify({ name: 'x'.repeat(15_000), categoryId: 1 })
  const headers = { authorization: 'Bearer psk_enterprise.many', 'content-type': 'application/json' }
  for (let sent = 0; sent < 300; sent++) await sandbox.fetch('/v1/pets', { method: 'POST', headers, body })
  const after = process.memoryUsage()
  const grown = after.heapUsed + after.external - before.heapUsed - before.external
  // Without a bound 300 times 300 events of 15 kB: 1,350 MB. Both sides of the connections are in this process.
  expect(grown).toBeLessThan(160 * 1024 * 1024)
  for (const response of unread) response.destroy()
})

it('there are at most 1,000 subscribers', async () => {
  const small = await createSandbox({ listen: false, log: 'silent' })
  const streams = []
  for (let i = 0; i < 1000; i++) streams.push(await small.fetch('/_sandbox/events'))
  expect(streams.at(-1)?.status).toBe(200)
  const refused = await small.fetch('/_sandbox/events')
  expect(refused.status).toBe(503)
  expect((await refused.json()).message).toContain('1,000 subscribers of events')
  await streams[0]?.body?.cancel()
  expect((await small.fetch('/_sandbox/events')).status).toBe(200)
  await small.close()
})

it('closes while events are followed and an answer is pending', async () => {
  const ending = await createSandbox({ port: 0, log: 'silent' })
  const streamed = await fetch(`${ending.controlUrl}/events`)
  const slow = fetch(`${ending.baseUrl}/pets`, { headers: { authorization: 'Bearer psk_slow' } })
  slow.catch(() => {})
  await expect.poll(async () => (await ending.limits('psk_slow')).minute.remaining).toBe(299)
  await ending.close()
  expect(await streamed.text()).toContain('event: state')
})

it('streams events until the client disconnects', async () => {
  const api = apiOf(overSocket(sandbox.port))
  const text = await new Promise<string>((resolve, reject) => {
    const request = get({ port: sandbox.port, path: '/_sandbox/events' }, (response) => {
      let received = ''
      response.on('data', (chunk: Buffer) => {
        if (received === '') api('/pets').catch(reject)
        received += chunk
        if (received.includes('event: request')) {
          request.destroy()
          resolve(received)
        }
      })
    })
    request.on('error', reject)
  })
  expect(text).toMatch(
    /^event: state\ndata: \{.*\}\n\nevent: request\ndata: \{.*"operationId":"listPets".*\}\n\n$/,
  )
})
