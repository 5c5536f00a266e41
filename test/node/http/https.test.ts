import { spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import {
  connect as connectHttp2,
  constants,
  createServer as createHttp2,
  type Http2ServerRequest,
} from 'node:http2'
import { Agent, request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../src/compose/sandbox.ts'
import { readCertificate } from '../../../src/node/files/certificate.ts'
import { requestOfHttp2, respondOverHttp2 } from '../../../src/node/http/http2.ts'
import { fieldValues } from '../../../src/world/traffic/message.ts'
import { hasPart } from '../../parts.ts'
import { temporaryFolder } from '../../support/folder.ts'

const folder = temporaryFolder()
const fileOf = (name: string): string => join(folder, name)

function openssl(...args: string[]): void {
  const { status, stderr } = spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
const hasOpenssl = hasPart(spawnSync('openssl', ['version']).status === 0, 'openssl', 'the tests of HTTPS')
for (const name of hasOpenssl ? ['a', 'b'] : []) {
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  openssl('req', '-x509', ...NEW_KEY, '-nodes', '-keyout', `${name}.key`, '-out', `${name}.pem`, ...names)
}
if (hasOpenssl) openssl('pkey', '-in', 'a.key', '-aes256', '-passout', 'pass:secret', '-out', 'locked.key')
writeFileSync(fileOf('empty.pem'), '')

const A = { cert: fileOf('a.pem'), key: fileOf('a.key') }
const NOW = Date.now()
const DAY = 86_400_000

let sandbox: Sandbox
afterEach(() => sandbox?.close())
const start = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  sandbox = await createSandbox({ port: 0, ...A, ...options })
  return sandbox
}

const PRO = { authorization: 'Bearer psk_pro' }

/** A session of HTTP/2 without TLS in which each request is answered with 204 and these header fields. */
async function answersOverHttp2(
  headers: string[],
  onRequest = (_: Http2ServerRequest): unknown => undefined,
) {
  const { signal: shutdown } = new AbortController()
  const handle = () => ({ status: 204, headers, body: undefined })
  const deps = { handle, bodyLimit: () => 1000, onFailure: () => {}, shutdown }
  const server = createHttp2((message, response) => {
    respondOverHttp2(deps, message, response, requestOfHttp2(message))
    onRequest(message)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return {
    session,
    async [Symbol.asyncDispose]() {
      session.destroy()
      server.close()
    },
  }
}

interface Got {
  readonly status?: number | undefined
  readonly body: string
  readonly error?: string | undefined
}

function getHttp1(path: string, agent = new Agent({ keepAlive: false }), headers = PRO): Promise<Got> {
  return new Promise((resolve) => {
    let body = ''
    const url = new URL(path, sandbox.baseUrl)
    const sent = httpsRequest(url, { agent, rejectUnauthorized: false, headers }, (response) => {
      response.setEncoding('utf8').on('data', (text) => {
        body += text
      })
      response.on('end', () => resolve({ status: response.statusCode, body }))
      response.on('error', ({ code }: NodeJS.ErrnoException) =>
        resolve({ status: response.statusCode, body, error: code }),
      )
    })
    sent.on('error', ({ code }: NodeJS.ErrnoException) => resolve({ body, error: code }))
    sent.end()
  })
}

async function getHttp2(path: string, headers = PRO): Promise<Got> {
  const session = connectHttp2(sandbox.baseUrl, { rejectUnauthorized: false })
  const stream = session.request({ ':path': path, ...headers })
  let body = ''
  let status: number | undefined
  let error: string | undefined
  stream.on('response', (fields) => {
    status = fields[':status']
  })
  stream.setEncoding('utf8').on('data', (text) => {
    body += text
  })
  stream.on('error', ({ message }) => {
    error = message
  })
  await once(stream, 'close').catch(() => {})
  session.destroy()
  return { status, body, error }
}

describe.skipIf(!hasOpenssl)('HTTPS', () => {
  it('answers HTTP/2 requests with an unknown Expect or with many header fields', async () => {
    await start()
    const many = Object.fromEntries(Array.from({ length: 700 }, (_, i) => [`x-${i}`, '1']))
    expect(await getHttp2('/v1/pets', { ...PRO, expect: 'x' } as never)).toMatchObject({ status: 200 })
    expect(await getHttp2('/v1/pets', { ...PRO, ...many } as never)).toMatchObject({ status: 200 })
  })

  it('carries out a hundred requests of an HTTP/2 connection at a time', async () => {
    await start()
    const hold = { match: { operationId: 'listPets' }, effect: { hold: { until: 'released' as const } } }
    await sandbox.faults.add(hold)
    const session = connectHttp2(sandbox.baseUrl, { rejectUnauthorized: false })
    await once(session, 'remoteSettings')
    for (let sent = 0; sent < 150; sent++)
      session.request({ ...PRO, ':path': '/v1/pets' }).on('error', () => {})
    await expect.poll(() => sandbox.holds.list()).toHaveLength(100)
    for (let turns = 0; turns < 20; turns++) await sandbox.holds.list()
    expect(await sandbox.holds.list()).toHaveLength(100)
    session.destroy()
  })

  it('does not carry out an HTTP/2 request whose body is incomplete', async () => {
    await start()
    const session = connectHttp2(sandbox.baseUrl, { rejectUnauthorized: false })
    const post = (fields: object) =>
      session
        .request({
          ...PRO,
          'content-type': 'application/json',
          ':path': '/v1/pets',
          ':method': 'POST',
          ...fields,
        })
        .on('error', () => {})
    const short = post({ 'content-length': 100 })
    short.end('{"name":"Kit","categoryId":1}')
    await once(short, 'close').catch(() => {})
    const cut = post({})
    await new Promise((resolve) => cut.write('{"name":"Kit","categoryId":1}', resolve))
    session.destroy()
    const { status } = await getHttp2('/v1/pets')
    expect(status).toBe(200)
    expect((await sandbox.requests()).map(({ method }) => method)).toEqual(['GET'])
  })

  it('ends the stream of an HTTP/2 request whose body it does not read on', async () => {
    await using answering = await answersOverHttp2([], (message) =>
      message.once('data', () => message.destroy()),
    )
    const stream = answering.session.request({ ':path': '/', ':method': 'POST' }).on('error', () => {})
    stream.write('a')
    await once(stream, 'close').catch(() => {})
    expect(stream.rstCode).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM)
  })

  it('sends a header field whose name every object has over HTTP/2', async () => {
    await using answering = await answersOverHttp2(['Constructor', 'a', 'constructor', 'b'])
    const stream = answering.session.request({ ':path': '/' })
    const [fields] = await once(stream, 'response')
    expect(fields).toMatchObject({ ':status': 204, constructor: 'a, b' })
  })

  it('joins the lines of a field over HTTP/2, except cookies: a service behind a proxy may send some twice', async () => {
    const twice = [
      'X-Content-Type-Options',
      'nosniff',
      'Date',
      'a',
      'date',
      'b',
      'X-Content-Type-Options',
      'nosniff',
    ]
    await using open = await answersOverHttp2([...twice, 'Set-Cookie', 'a=1, 2', 'Set-Cookie', 'b=3'])
    const [fields] = await once(open.session.request({ ':path': '/' }), 'response')
    expect(fields).toMatchObject({
      'x-content-type-options': 'nosniff, nosniff',
      date: 'a, b',
      'set-cookie': ['a=1, 2', 'b=3'],
    })
  })

  it('has the cookies of an HTTP/2 request in one field, which browsers split', async () => {
    let headers: readonly string[] = []
    await using open = await answersOverHttp2([], (message) => {
      headers = requestOfHttp2(message).headers
    })
    await once(open.session.request({ ':path': '/', cookie: ['a=1', 'b=2'], 'x-a': ['1', '2'] }), 'response')
    expect(fieldValues(headers, 'cookie')).toEqual(['a=1; b=2'])
    expect(fieldValues(headers, 'x-a')).toEqual(['1', '2'])
  })

  it('is in the shown address, and answers HTTP/1.1 and HTTP/2', async () => {
    const { baseUrl, controlUrl } = await start()
    expect([baseUrl, controlUrl]).toEqual([
      expect.stringMatching(/^https:\/\/localhost:\d+\/v1$/),
      expect.stringMatching(/^https:\/\/localhost:\d+\/_sandbox$/),
    ])
    for (const get of [getHttp1, getHttp2]) {
      const { status, body } = await get('/v1/pets/1')
      expect([status, JSON.parse(body)]).toEqual([200, expect.objectContaining({ id: 1 })])
      expect(JSON.parse((await get('/_sandbox/health')).body)).toMatchObject({ status: 'ok' })
    }
    expect((await getHttp1('/pets')).body).toContain(`for example ${baseUrl}/pets`)
    const { body } = await getHttp1('/openapi.json')
    expect(JSON.parse(body).servers[0].url).toBe(baseUrl)
  })

  it('refuses a header section of more than 16 KiB over both versions', async () => {
    await start()
    const long = { ...PRO, 'x-long': 'x'.repeat(20_000) }
    for (const got of [getHttp1('/v1/pets', undefined, long), getHttp2('/v1/pets', long)]) {
      const { status, body } = await got
      expect([status, JSON.parse(body).code]).toEqual([431, 'headers_too_large'])
    }
  })

  it('keeps connections open, which do not delay the close of the sandbox', async () => {
    await start()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let i = 0; i < 3; i++) expect((await getHttp1('/v1/pets', agent)).status).toBe(200)
    expect(Object.values(agent.freeSockets).flat()).toHaveLength(1)
    await sandbox.close()
    agent.destroy()
  })

  it('accepts a change only from a page of its own origin, including the scheme', async () => {
    await start()
    const { origin } = new URL(sandbox.baseUrl)
    const send = (from: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { origin: from, 'content-type': 'application/json' }
        const url = `${sandbox.controlUrl}/clock`
        httpsRequest(url, { method: 'POST', rejectUnauthorized: false, headers }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
          .on('error', reject)
          .end('{"frozen":true}')
      })
    expect(await send(origin)).toBe(200)
    expect(await send(origin.replace('https', 'http'))).toBe(403)
  })

  it.each([
    ['reset', { error: 'ECONNRESET', body: '' }],
    ['empty', { error: 'ECONNRESET', body: '' }],
    ['garbage', { error: 'HPE_INVALID_CONSTANT', body: '' }],
    ['truncate', { status: 200, error: 'ECONNRESET' }],
  ] as const)('%s breaks the connection over HTTP/1.1, and one stream over HTTP/2', async (wire, seen) => {
    await start()
    await sandbox.faults.add({ effect: { wire } })
    expect(await getHttp1('/v1/pets')).toMatchObject(seen)
    const over2 = await getHttp2('/v1/pets')
    expect(over2.error).toMatch(/NGHTTP2_INTERNAL_ERROR/)
    expect(over2.status).toBe(wire === 'truncate' ? 200 : undefined)
  })

  it('a reset is visible as a reset of the connection, not as the end of TLS', async () => {
    await start()
    const { port } = new URL(sandbox.baseUrl)
    const socket = connectTls({ host: 'localhost', port: Number(port), rejectUnauthorized: false })
    const sendRequest = () =>
      socket.write('GET /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer psk_pro\r\n\r\n')
    sendRequest()
    await once(socket, 'data')
    await sandbox.faults.add({ effect: { wire: 'reset' } })
    sendRequest()
    const [error] = await once(socket, 'error')
    expect(error).toMatchObject({ code: 'ECONNRESET', syscall: 'read' })
  })

  it('a later answer over HTTP/2 can precede a delayed one', async () => {
    await start()
    await sandbox.faults.add({ effect: { hold: { until: 'released' } }, times: 1 })
    const order: string[] = []
    const late = getHttp2('/v1/pets').then(({ status }) => order.push(`late ${status}`))
    await untilActed(1)
    order.push(`soon ${(await getHttp2('/v1/pets')).status}`)
    await sandbox.holds.release('hold_1')
    await late
    expect(order).toEqual(['soon 200', 'late 200'])
  })

  it('closes while connections wait for an answer', async () => {
    await start()
    await sandbox.faults.add({ effect: { wire: 'hang' } })
    const waiting = [getHttp1('/v1/pets'), getHttp2('/v1/pets')]
    await untilActed(2)
    await sandbox.close()
    for (const { status } of await Promise.all(waiting)) expect(status).toBeUndefined()
  })
})

/** Waits until the fault rule has acted that many times. */
async function untilActed(times: number): Promise<void> {
  while ((await sandbox.faults.list())[0]?.acted !== times)
    await new Promise((resolve) => setTimeout(resolve, 5))
}

describe.skipIf(!hasOpenssl)('a certificate', () => {
  it('is refused with a message if its key does not match', () => {
    const read =
      (cert: string, key: string, now = NOW) =>
      () =>
        readCertificate({ cert: fileOf(cert), key: fileOf(key) }, now)
    expect(read('a.pem', 'a.key')).not.toThrow()
    expect(read('a.pem', 'b.key')).toThrow(
      /b\.key is not the key of the certificate .*a\.pem\. Name the two files of one pair/,
    )
    expect(read('a.key', 'a.key')).toThrow(/a\.key contains no certificate\. Use a file in PEM/)
    expect(read('empty.pem', 'a.key')).toThrow(/empty\.pem contains no certificate/)
    const der = new X509Certificate(readFileSync(fileOf('a.pem'))).raw
    writeFileSync(fileOf('a.der'), der)
    expect(read('a.der', 'a.key')).toThrow(/a\.der contains no certificate\. Use a file in PEM/)
    expect(read('a.pem', 'a.pem')).toThrow(/a\.pem contains no private key/)
    expect(read('a.pem', 'locked.key')).toThrow(
      /locked\.key needs a passphrase\. Use one without: openssl pkey/,
    )
    expect(read('a.pem', 'a.key', NOW + 40 * DAY)).toThrow(
      /a\.pem expired on .* GMT\. Make a new certificate/,
    )
    expect(read('a.pem', 'a.key', NOW - DAY)).toThrow(/a\.pem is not valid before /)
  })

  it('is refused before a file or port is opened', async () => {
    await expect(createSandbox({ ...A, key: fileOf('b.key'), db: fileOf('db.json') })).rejects.toThrow(
      '--cert and --key: ',
    )
    await expect(createSandbox({ cert: A.cert })).rejects.toThrow(
      '--cert (cert) and --key (key) belong together; give both, or neither',
    )
    await expect(createSandbox({ cert: fileOf('none.pem'), key: A.key })).rejects.toThrow(
      /none\.pem cannot be read: there is no such file/,
    )
  })
})
