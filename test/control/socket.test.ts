import { get } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/sandbox.ts'
import { overSocket } from '../api/over-socket.ts'
import { parseRaw, sendRaw } from '../http/raw.ts'
import { apiOf, controlOf } from './client.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await createSandbox({ port: 0, log: 'silent' })
})
afterAll(() => sandbox.close())

const raw = async (head: string) =>
  parseRaw(await sendRaw(sandbox.port, `${head}\r\nConnection: close\r\n\r\n`))

it('a name that was rebound to this machine gets nothing but the page about deprecations', async () => {
  const rebound = await raw('GET /_sandbox/keys HTTP/1.1\r\nHost: evil.example')
  expect([rebound.status, JSON.parse(rebound.body).code]).toEqual([403, 'control_forbidden'])
  const absolute = await raw('GET http://localhost/_sandbox/keys HTTP/1.1\r\nHost: evil.example')
  expect(absolute.status).toBe(403)
  const page = await raw('GET /_sandbox/docs/deprecations HTTP/1.1\r\nHost: evil.example')
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
})

it('a form that a page of another origin posts changes nothing', async () => {
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

it('takes fixtures larger than any body of the API', async () => {
  const call = controlOf(overSocket(sandbox.port))
  const pets = Array.from({ length: 3000 }, (_, i) => ({
    name: `pet ${i} ${'x'.repeat(100)}`,
    categoryId: i,
  }))
  expect((await call('POST', '/seed?namespace=big', { pets })).body).toEqual({ pets: 3000 })
})

it('streams events until the client goes', async () => {
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
