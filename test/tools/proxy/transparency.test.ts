import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createProxy, type RunningProxy } from '../../../src/compose/proxy.ts'
import { createForward, FORWARD_TIMEOUT } from '../../../src/tools/proxy/forward.ts'
import { bodies } from '../../../src/web/bodies.ts'
import { requestWith } from '../../../src/world/traffic/message.ts'
import { freePort } from '../../support/port.ts'
import { endToEnd, get, ODD, startUpstream, type Upstream } from './upstream.ts'

let upstream: Upstream
let proxy: RunningProxy
let origin: string

beforeAll(async () => {
  upstream = await startUpstream()
  proxy = await createProxy(`${upstream.origin}/api/v1`, { port: 0 })
  origin = `http://localhost:${proxy.port}`
})
beforeEach(() => {
  upstream.received.length = 0
})
afterAll(async () => {
  await proxy.close()
  upstream.server.closeAllConnections()
  upstream.server.close()
})

describe('a response passes unchanged', () => {
  it.each(
    Object.keys(ODD).flatMap((path) => [
      ['GET', path],
      ['HEAD', path],
      ['POST', path],
    ]),
  )('%s %s', async (method, path) => {
    const direct = await get(upstream.origin, `/api/v1${path}`, { method })
    const through = await get(origin, `/v1${path}`, { method })
    expect(through).toEqual(direct)
  })

  it('without a Date if the service sends none', async () => {
    expect((await get(origin, '/v1/untyped')).headers).toEqual([])
    expect((await get(origin, '/v1/gzip')).headers).toContain('Date')
  })

  it.each([
    ['that ends with its connection, like in HTTP/1.0', 'Fine', 'Fine'],
    ['except control characters in its reason', 'F\x1bn\xe9', 'F n\xe9'],
  ])('%s', async (_, sent, reason) => {
    const old = createServer((socket) => {
      socket.once('data', () =>
        socket.end(`HTTP/1.0 200 ${sent}\r\nX-Old: yes\r\n\r\nuntil the end`, 'latin1'),
      )
    }).listen(0, '127.0.0.1')
    await once(old, 'listening')
    const other = await createProxy(`http://127.0.0.1:${(old.address() as AddressInfo).port}/v1`, { port: 0 })
    const got = await get(`http://localhost:${other.port}`, '/v1/pets')
    expect(got).toEqual({
      status: 200,
      reason,
      headers: ['X-Old', 'yes'],
      body: 'until the end',
    })
    await other.close()
    old.close()
  })
})

describe('a request passes unchanged', () => {
  const passed = async (path: string, options: Parameters<typeof get>[2], where = path) => {
    await get(upstream.origin, where, options)
    await get(origin, path, options)
    const [direct, through] = upstream.received
    expect(through?.headers).toContain(new URL(upstream.origin).host)
    return { direct, through }
  }

  it.each([
    ['fields as they are spelt', { headers: ['x-ODD', 'a', 'Accept', 'b', 'X-Odd', 'c', 'Cookie', 'd=e'] }],
    [
      'a body with its length',
      { method: 'POST', headers: ['Content-Length', '5'], body: 'h\u00e9llo'.slice(0, 4) },
    ],
    [
      'a body in chunks',
      { method: 'POST', headers: ['Transfer-Encoding', 'chunked'], body: '{"name":"Rex"}' },
    ],
    ['a body of a GET', { headers: ['Content-Length', '3'], body: 'abc' }],
    ['no body', { method: 'POST', headers: ['Content-Length', '0'] }],
    ['DELETE', { method: 'DELETE', headers: ['If-Match', '"x"'] }],
    [
      'OPTIONS',
      { method: 'OPTIONS', headers: ['Origin', 'http://shop.test', 'Access-Control-Request-Method', 'POST'] },
    ],
    ['a method of its own', { method: 'PATCH', headers: ['Content-Length', '2'], body: '{}' }],
    ['a wish for compression', { headers: ['Accept-Encoding', 'br;q=1.0, gzip;q=0.5'] }],
    [
      'an expectation',
      { method: 'POST', headers: ['Expect', '100-continue', 'Content-Length', '2'], body: '{}' },
    ],
  ])('%s', async (_, options) => {
    const { direct, through } = await passed('/v1/pets', options, '/api/v1/pets')
    expect({ ...through, headers: endToEnd(through?.headers ?? [], ['host', 'cdn-loop']) }).toEqual({
      ...direct,
      headers: endToEnd(direct?.headers ?? [], ['host']),
    })
  })

  it('in chunks or with Content-Length, as it was received', async () => {
    await get(origin, '/v1/pets', { method: 'POST', headers: ['Transfer-Encoding', 'chunked'], body: '{}' })
    await get(origin, '/v1/pets', { method: 'POST', headers: ['Content-Length', '2'], body: '{}' })
    const framing = upstream.received.map(({ headers }) =>
      headers.filter((_, i) => /^(transfer-encoding|content-length)$/i.test(headers[i - (i % 2)] as string)),
    )
    expect(framing).toEqual([
      ['Transfer-Encoding', 'chunked'],
      ['Content-Length', '2'],
    ])
  })

  it.each([
    ['/v1', '/api/v1'],
    ['/v1?x', '/api/v1?x'],
    ['/v1/', '/api/v1/'],
    ['/v1//pets/../%31?', '/api/v1//pets/../%31?'],
    ['/v1/pets?limit=%zz&&a=b?c=d', '/api/v1/pets?limit=%zz&&a=b?c=d'],
    ['/%76%31/pets', '/api/v1/pets'],
    ['/', '/'],
    ['/v10/pets', '/v10/pets'],
    ['/health?deep=1', '/health?deep=1'],
    ['/_sandboxes', '/_sandboxes'],
    ['http://somewhere.test/v1/pets', '/api/v1/pets'],
  ])('to its path at the service: %s', async (path, where) => {
    await get(origin, path)
    expect(upstream.received.map(({ target }) => target)).toEqual([where])
  })

  it('without fields for a single connection', async () => {
    const headers = [
      'Connection',
      'close, X-Hop',
      'X-Hop',
      '1',
      'TE',
      'trailers',
      'Upgrade',
      'h2c',
      'X-Stays',
      '1',
    ]
    await get(origin, '/v1/pets', { headers })
    const names = upstream.received[0]?.headers.filter((_, i) => i % 2 === 0)
    expect(names).toEqual(['Host', 'X-Stays', 'cdn-loop', 'Connection'])
  })
})

describe('a request cannot contain a second one', () => {
  const HIDDEN = 'POST /api/v1/hidden HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n'

  it.each([
    ['GET', 'content-length'],
    ['GET', 'close, Content-Length, X-A'],
    ['POST', 'content-length, content-type'],
    ['DELETE', 'Content-Length'],
    ['OPTIONS', 'Content-Length'],
  ])('%s with Connection: %s', async (method, connection) => {
    const headers = ['Connection', connection, 'Content-Length', String(HIDDEN.length)]
    await get(origin, '/v1/pets', { method, headers, body: HIDDEN })
    expect(upstream.received).toMatchObject([{ method, target: '/api/v1/pets', body: HIDDEN }])
  })
})

describe('if the service does not answer', () => {
  it('sets no deadline for a request that Node refuses to send: it would end the process', async () => {
    vi.useFakeTimers()
    const forward = createForward('http://127.0.0.1:1/v1', new AbortController().signal, FORWARD_TIMEOUT)
    await expect(forward(requestWith('GET', '/', ['', 'x']), '/', true)).rejects.toThrow('valid HTTP token')
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })

  const error = async (got: ReturnType<typeof get>) => {
    const { status, body, headers } = await got
    expect(headers).toContain('application/json')
    return { status, ...JSON.parse(body) }
  }

  it('has a 502 with the reason', async () => {
    const gone = await createProxy('http://127.0.0.1:1/v1', { port: 0 })
    expect(await error(get(`http://localhost:${gone.port}`, '/v1/pets'))).toEqual({
      status: 502,
      code: 'bad_gateway',
      message:
        'The service at http://127.0.0.1:1 did not answer: connection refused: no service listens there.',
    })
    expect(gone.report().serverErrors).toBe(1)
    expect(gone.petsSeen()).toBeUndefined()
    await gone.close()
  })

  it('has a 502 if its address leads back to the proxy, through another one or at once', async () => {
    const message = (service: string) =>
      `${service} leads back to this proxy. Start the proxy with the address of the service, or with another --port.`
    const port = await freePort()
    const inner = await createProxy(`http://localhost:${port}/v1`, { port: 0 })
    const outer = await createProxy(inner.baseUrl, { port })
    expect(await error(get(`http://localhost:${port}`, '/v1/pets'))).toMatchObject({
      status: 502,
      message: message(inner.baseUrl),
    })
    await Promise.all([outer.close(), inner.close()])
    const own = await createProxy(`http://127.0.0.1:${port}/v1`, { port, host: '0.0.0.0' })
    expect(await error(get(`http://127.0.0.1:${port}`, '/v1/pets'))).toMatchObject({
      status: 502,
      message: message(`http://127.0.0.1:${port}/v1`),
    })
    expect(own.report().requests).toBe(2)
    await own.close()
  })

  it('has a 502 for an answer that is cut off because of the bodies of all requests', async () => {
    const { limit } = bodies
    bodies.limit = 10
    onTestFinished(() => {
      bodies.limit = limit
    })
    expect((await error(get(origin, '/v1/gzip'))).message).toMatch(
      /did not answer: the bodies of all requests take more than .* MiB; send fewer at a time\.$/,
    )
  })

  it.each([
    ['half an answer', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', /broke off/],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', /Parse Error/],
    ['nothing', '', /did not answer/],
    [
      'too long header fields',
      `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(64 * 1024)}\r\n\r\n`,
      /its header fields are larger than 64 KiB, which is the limit/,
    ],
    [
      'another protocol',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
      /closed/,
    ],
    [
      'another protocol that is not named',
      'HTTP/1.1 101 Switching Protocols\r\n\r\n',
      /101 is not a status of a response/,
    ],
    [
      'a status that does not exist',
      'HTTP/1.1 000 Weird\r\nContent-Length: 2\r\n\r\n[]',
      /0 is not a status of a response/,
    ],
  ])('has a 502 for %s', async (_, bytes, why) => {
    const broken = createServer((socket) => socket.once('data', () => socket.end(bytes))).listen(
      0,
      '127.0.0.1',
    )
    await once(broken, 'listening')
    const { port } = broken.address() as AddressInfo
    const other = await createProxy(`http://127.0.0.1:${port}/v1`, { port: 0 })
    const failure = await error(get(`http://localhost:${other.port}`, '/v1/pets'))
    expect(failure).toMatchObject({ status: 502, code: 'bad_gateway', message: expect.stringMatching(why) })
    await other.close()
    broken.close()
  })

  it.each([
    ['nothing', ''],
    ['the beginning of an answer', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'],
  ])('has a 504 after the timeout for %s', async (_, bytes) => {
    const silent = createServer((socket) => socket.once('data', () => socket.write(bytes))).listen(
      0,
      '127.0.0.1',
    )
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const other = await createProxy(`http://127.0.0.1:${port}/v1`, { port: 0 }, { timeout: 50 })
    expect(await error(get(`http://localhost:${other.port}`, '/v1/pets'))).toEqual({
      status: 504,
      code: 'gateway_timeout',
      message: `The service at http://127.0.0.1:${port} sent no complete response within 50 ms. Use --timeout to wait longer.`,
    })
    expect(other.report().serverErrors).toBe(1)
    await other.close()
    silent.close()
  })

  it('refuses tunnels', async () => {
    const socket = connect(proxy.port, '127.0.0.1')
    socket.end('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n')
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 501 /)
    expect(upstream.received).toEqual([])
  })
})
