import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createSandbox, type Sandbox } from '../../../src/compose/sandbox.ts'
import { parseRaw, sendRaw } from './raw.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await createSandbox({ port: 0, limits: { enterprise: 'unlimited/unlimited' } })
})
afterAll(() => sandbox.close())

const KEY = 'Authorization: Bearer psk_enterprise'

function expectError(text: string, status: number, code: string): void {
  const { status: got, headers, body } = parseRaw(text)
  expect(got, text).toBe(status)
  expect(JSON.parse(body)).toEqual({ code, message: expect.any(String), status })
  expect(headers.get('content-length')).toBe(String(Buffer.byteLength(body)))
  expect(headers.get('x-ratelimit-limit')).toBe('60')
  expect(headers.get('x-ratelimit-remaining')).toBe('60')
  expect(headers.get('x-ratelimit-reset')).toMatch(/^\d{10}$/)
  expect(headers.get('access-control-allow-origin')).toBe('*')
}

describe('invalid HTTP gets an Error with the limit headers', () => {
  it.each([
    ['a bad request line', 'NONSENSE\r\n\r\n'],
    ['an unknown method', 'FOO /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a bad header', `GET /v1/pets HTTP/1.1\r\nHost: x\r\nBad Header: x\r\n\r\n`],
    ['no Host', `GET /v1/pets HTTP/1.1\r\n${KEY}\r\nConnection: close\r\n\r\n`],
    ['two Hosts', `GET /v1/pets HTTP/1.1\r\nHost: a\r\nHost: b\r\n${KEY}\r\nConnection: close\r\n\r\n`],
    ['two lengths', `POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}`],
    [
      'a length and chunks',
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['TLS', Buffer.from('16030100c8010000c40303', 'hex')],
  ])('%s', async (_, bytes) => {
    expectError(await sendRaw(sandbox.port, bytes), 400, 'invalid_request')
  })

  it('headers beyond 16 KiB', async () => {
    const bytes = `GET /v1/pets HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`
    expectError(await sendRaw(sandbox.port, bytes), 431, 'headers_too_large')
    // As with the option --max-http-header-size of Node.
    vi.spyOn(process.getBuiltinModule('node:http'), 'maxHeaderSize', 'get').mockReturnValue(32_768)
    expect(await sendRaw(sandbox.port, bytes)).toContain('The header section is larger than 32 KiB.')
    vi.restoreAllMocks()
  })
})

describe('unusual valid requests are served', () => {
  const status = async (bytes: string) => parseRaw(await sendRaw(sandbox.port, bytes)).status

  it.each([
    ['HTTP/1.0 without a Host', `GET /v1/pets HTTP/1.0\r\n${KEY}\r\n\r\n`],
    [
      'the absolute form',
      `GET http://any.example/v1/pets HTTP/1.1\r\nHost: x\r\n${KEY}\r\nConnection: close\r\n\r\n`,
    ],
    [
      'an expectation',
      `GET /v1/pets HTTP/1.1\r\nHost: x\r\nExpect: x\r\n${KEY}\r\nConnection: close\r\n\r\n`,
    ],
    [
      'header names in any case',
      `GET /v1/pets HTTP/1.1\r\nhOsT: x\r\naUTHORIZATION: Bearer psk_enterprise\r\nConnection: close\r\n\r\n`,
    ],
    [
      'a GET with a body',
      `GET /v1/pets HTTP/1.1\r\nHost: x\r\n${KEY}\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc`,
    ],
  ])('%s', async (_, bytes) => {
    expect(await status(bytes)).toBe(200)
  })

  it('a chunked body', async () => {
    const body = '{"name":"a","categoryId":1}'
    const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${KEY}\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`
    expect(await status(`${head}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`)).toBe(201)
  })

  it('two Authorization headers, of which Node hides one, are an invalid key', async () => {
    const text = await sendRaw(
      sandbox.port,
      `GET /v1/pets HTTP/1.1\r\nHost: x\r\n${KEY}\r\n${KEY}\r\nConnection: close\r\n\r\n`,
    )
    expectError(text, 401, 'invalid_api_key')
  })

  it('two Content-Encodings, of which only the second is a coding, are refused', async () => {
    const body = '{"name":"a","categoryId":1}'
    const fields = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close`
    const encodings = 'Content-Encoding: identity\r\nContent-Encoding: gzip'
    const text = await sendRaw(
      sandbox.port,
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${KEY}\r\n${encodings}\r\n${fields}\r\n\r\n${body}`,
    )
    expect(parseRaw(text).status).toBe(415)
  })

  it('a key after more header fields than Node counts by default', async () => {
    const many = Array.from({ length: 2500 }, () => 'a:\r\n').join('')
    const text = await sendRaw(
      sandbox.port,
      `GET /v1/pets HTTP/1.1\r\nHost: x\r\n${many}${KEY}\r\nConnection: close\r\n\r\n`,
    )
    expect(parseRaw(text).status).toBe(200)
  })

  it('CONNECT and OPTIONS * do not hang', async () => {
    expect(await status('CONNECT a.example:80 HTTP/1.1\r\nHost: x\r\n\r\n')).toBe(404)
    expect(await status('OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toBe(204)
  })

  it('CONNECT after a request whose response is late, answered after it', async () => {
    await sandbox.faults.add({ match: { path: '/pets/7' }, effect: { latency: '50ms' }, times: 1 })
    const text = await sendRaw(
      sandbox.port,
      `GET /v1/pets/7 HTTP/1.1\r\nHost: x\r\n${KEY}\r\n\r\nCONNECT a.example:80 HTTP/1.1\r\nHost: x\r\n\r\n`,
    )
    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code)).toEqual(['200', '404'])
  })

  // Without a listener for the error of its socket, the process of the sandbox ends.
  it('CONNECT whose client resets the connection', async () => {
    const errors: unknown[] = []
    const note = (error: unknown) => errors.push(error)
    process.on('uncaughtException', note)
    for (let i = 0; i < 20; i++) {
      const socket = connect(sandbox.port, '127.0.0.1').on('error', () => {})
      await once(socket, 'connect')
      socket.write('CONNECT a.example:80 HTTP/1.1\r\nHost: x\r\n\r\n')
      socket.resetAndDestroy()
    }
    expect(await status('OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toBe(204)
    process.off('uncaughtException', note)
    expect(errors).toEqual([])
  })

  it('pipelined requests, answered in order', async () => {
    const one = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${KEY}\r\n${more}\r\n`
    const text = await sendRaw(
      sandbox.port,
      one('/v1/pets/1') + one('/v1/nope') + one('/v1/pets/2', 'Connection: close\r\n'),
    )
    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code)).toEqual(['200', '404', '200'])
    expect(text.indexOf('"id":1')).toBeLessThan(text.indexOf('"id":2'))
  })

  it('pipelined requests, carried out in order: a list contains the pet that was created before it', async () => {
    const head = (line: string, more: string) =>
      `${line} HTTP/1.1\r\nHost: x\r\n${KEY}.pipelined\r\n${more}\r\n`
    const body = '{"name":"a","categoryId":1}'
    const create = head('POST /v1/pets', 'Content-Type: application/json\r\nContent-Length: 27\r\n') + body
    const list = head('GET /v1/pets?limit=100', '')
    const last = head('GET /v1/pets/1', 'Connection: close\r\n')
    const text = await sendRaw(sandbox.port, (create + list).repeat(2) + last)
    expect([...text.matchAll(/X-Request-Id: req_0*(\d+)/g)].map(([, id]) => id)).toEqual([...'12345'])
    expect(text.match(/"id":13/g)).toHaveLength(3)
  })

  it.each([
    ['an invalid request', `GET /v1/pets HTTP/1.1\r\n${KEY}.behind\r\n\r\n`, '400'],
    [
      'a body that is too large',
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${KEY}.behind\r\nContent-Type: application/json\r\nContent-Length: 102401\r\n\r\n${' '.repeat(102_401)}`,
      '413',
    ],
  ])('pipelined requests before %s are carried out, those behind it are not', async (_, invalid, code) => {
    const create = `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${KEY}.behind\r\nContent-Type: application/json\r\nContent-Length: 27\r\n\r\n{"name":"a","categoryId":1}`
    const world = sandbox.namespace('behind')
    await world.reset()
    const { nextId } = await world.export()
    const text = await sendRaw(sandbox.port, create + invalid + create)
    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['201', code])
    expect((await world.export()).nextId).toBe(Number(nextId) + 1)
  })

  it('pipelined requests that wait, also behind a body, cause no warning', async () => {
    const warnings: Error[] = []
    const warned = (warning: Error) => warnings.push(warning)
    process.on('warning', warned)
    const body = '{"match":{"status":418},"within":"20ms"}'
    const wait = `POST /_sandbox/requests/wait HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const unknown = (more = '') => `GET /v1/nope HTTP/1.1\r\nHost: x\r\n${KEY}.pipelined\r\n${more}\r\n`
    const all = wait.repeat(30) + unknown().repeat(30) + unknown('Connection: close\r\n')
    const text = await sendRaw(sandbox.port, all)
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', warned)
    expect(text.match(/HTTP\/1\.1 409/g)).toHaveLength(30)
    expect(text.match(/HTTP\/1\.1 404/g)).toHaveLength(31)
    expect(warnings).toEqual([])
  })

  it.each([
    ['a read', `GET /v1/pets HTTP/1.1\r\nHost: x\r\n${KEY}\r\n\r\n`, '200'],
    [
      'a creation',
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${KEY}.wire\r\nContent-Type: application/json\r\nContent-Length: 27\r\n\r\n{"name":"a","categoryId":1}`,
      '201',
    ],
  ])('%s is answered although invalid HTTP follows it at once', async (_, valid, code) => {
    const text = await sendRaw(sandbox.port, `${valid}NONSENSE\r\n\r\n`)
    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([code, '400'])
  })

  it.each(['reset', 'empty', 'truncate', 'garbage'] as const)(
    'a wire fault breaks a pipelined request, and not the one before it: %s',
    async (wire) => {
      const world = sandbox.namespace(`wire-${wire}`)
      await world.faults.add({ match: { operationId: 'getPet' }, effect: { wire } })
      const one = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n${KEY}.wire-${wire}\r\n\r\n`
      const socket = connect(sandbox.port, '127.0.0.1')
      let received = ''
      socket.on('data', (chunk) => {
        received += chunk
      })
      socket.on('error', () => {})
      socket.write(one('/v1/pets') + one('/v1/pets/1'))
      await new Promise((resolve) => socket.on('close', resolve))
      expect(received).toMatch(/^HTTP\/1\.1 200 /)
      expect(received.includes('garbage')).toBe(wire === 'garbage')
      expect(received.match(/HTTP\/1\.1/g)).toHaveLength(wire === 'truncate' ? 2 : 1)
    },
  )
})

describe('a body beyond the limit', () => {
  it('is answered with 413 after it was read, and the connection closes', async () => {
    const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${KEY}\r\nContent-Type: application/json\r\nContent-Length: 5000000\r\n\r\n`
    const { status, headers } = parseRaw(await sendRaw(sandbox.port, head + 'x'.repeat(5_000_000)))
    expect(status).toBe(413)
    expect(headers.get('connection')).toBe('close')
    expect(headers.get('retry-after')).toBeNull()
  })

  it('does not affect later requests', async () => {
    expect(
      (await fetch(`${sandbox.baseUrl}/pets`, { headers: { authorization: 'Bearer psk_enterprise' } }))
        .status,
    ).toBe(200)
  })
})

it('a client that disconnects during its body changes nothing', async () => {
  const before = (await sandbox.export()).pets.length
  const socket = connect(sandbox.port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(
    `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${KEY}\r\nContent-Type: application/json\r\nContent-Length: 30\r\n\r\n{"name":"a",`,
  )
  await new Promise((resolve) => setTimeout(resolve, 50))
  socket.destroy()
  await once(socket, 'close')
  expect((await sandbox.export()).pets).toHaveLength(before)
})

it('localhost has both of its addresses', async () => {
  for (const host of ['127.0.0.1', '[::1]']) {
    const response = await fetch(`http://${host}:${sandbox.port}/v1/pets`, {
      headers: { authorization: 'Bearer psk_enterprise' },
    })
    expect(response.status, host).toBe(200)
  }
})

it('fifty parallel POST requests get fifty ids', async () => {
  const agent = new Agent({ maxSockets: 50 })
  const post = () =>
    new Promise<number>((resolve, reject) => {
      const sent = request(
        {
          agent,
          port: sandbox.port,
          method: 'POST',
          path: '/v1/pets',
          headers: { authorization: 'Bearer psk_enterprise.ids', 'content-type': 'application/json' },
        },
        (response) => {
          let text = ''
          response.on('data', (chunk) => {
            text += chunk
          })
          response.on('end', () => resolve(JSON.parse(text).id))
        },
      )
      sent.on('error', reject)
      sent.end('{"name":"a","categoryId":1}')
    })
  const ids = await Promise.all(Array.from({ length: 50 }, post))
  expect([...ids].sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => 13 + i))
  agent.destroy()
})

describe('wire faults, as a client sees them', () => {
  const call = () =>
    fetch(`${sandbox.baseUrl}/pets`, {
      headers: { authorization: `Bearer ${sandbox.namespace('wire').key('enterprise')}` },
    })

  it.each([
    ['reset', /ECONNRESET/],
    ['empty', /UND_ERR_SOCKET|ECONNRESET/],
    ['garbage', /HPE_INVALID|HTTPParserError/],
  ] as const)('%s', async (wire, code) => {
    const world = sandbox.namespace('wire')
    await world.faults.add({ effect: { wire }, times: 1 })
    const error = await call().catch((thrown: Error) => thrown)
    expect(error).toBeInstanceOf(TypeError)
    const { cause } = error as { cause: { code?: string; name?: string } }
    expect(`${cause.code} ${cause.name}`).toMatch(code)
    expect((await call()).status).toBe(200)
  })

  it.each([
    [false, { 'User-Agent': 'Deno/2.9.6' }],
    [false, { 'User-Agent': 'Bun/1.4.5' }],
    [false, { 'User-Agent': 'curl/7.88.1' }],
    [false, { 'User-Agent': 'Go-http-client/1.1' }],
    [false, { 'User-Agent': 'GuzzleHttp/7' }],
    [false, { 'User-Agent': 'okhttp/4.12.0' }],
    [false, { 'User-Agent': 'PycURL/7.45.2 libcurl/7.88.1 GnuTLS/3.7.9' }],
    [false, { 'User-Agent': 'Typhoeus - https://github.com/typhoeus/typhoeus' }],
    [true, { 'User-Agent': 'python-requests/2.28.1' }],
    [false, { 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Site': 'same-origin' }],
    [true, { 'User-Agent': 'node', 'Sec-Fetch-Mode': 'cors' }],
    [true, {}],
  ])(
    'only a client that repeats requests on a used connection gets them on a new one: reused %s for %j',
    async (isReused, client) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const send = () => {
        const headers = { Authorization: 'Bearer psk_enterprise', ...client }
        const sent = request({ port: sandbox.port, path: '/v1/pets', agent, headers }).end()
        return once(sent, 'response').then(async ([response]) => {
          response.resume()
          await once(response, 'end')
          return sent.reusedSocket
        })
      }
      await send()
      const other = sandbox.namespace('other')
      await other.faults.add({ match: { method: 'POST' }, effect: { wire: 'reset' } })
      expect([await send(), await send()]).toEqual([isReused, isReused])
      await other.faults.clear()
      agent.destroy()
    },
  )

  it('a request that was sent before its client noticed the end of the connection is not carried out', async () => {
    const own = await createSandbox({ port: 0 })
    const socket = connect({ port: own.port, host: '127.0.0.1', allowHalfOpen: true })
    const head = `HTTP/1.1\r\nHost: x\r\nOrigin: http://a.example\r\n${KEY}\r\n`
    socket.write(`GET /v1/pets ${head}\r\n`)
    await once(socket, 'data')
    const added = own.namespace('other').faults.add({ effect: { wire: 'reset' } })
    await once(socket, 'end')
    socket.write(`DELETE /v1/pets ${head}\r\n`)
    await added
    socket.destroy()
    expect((await own.requests()).map(({ method }) => method)).toEqual(['GET'])
    await own.close()
  })

  // Only browsers open connections in advance: to any other client, a refusal would be an error.
  it.each(['curl/7.88.1', 'Go-http-client/1.1'])(
    'a late first request of %s is not refused',
    async (agent) => {
      await sandbox.namespace('other').faults.add({ match: { method: 'POST' }, effect: { wire: 'reset' } })
      const socket = connect({ port: sandbox.port, host: '127.0.0.1' })
      await sleep(150)
      socket.write(`GET /v1/pets HTTP/1.1\r\nHost: x\r\nUser-Agent: ${agent}\r\n${KEY}\r\n\r\n`)
      const [answer] = await once(socket, 'data')
      expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /)
      await sandbox.namespace('other').faults.clear()
      socket.destroy()
    },
  )

  it('truncate: the status is received, the body ends early', async () => {
    await sandbox.namespace('wire').faults.add({ effect: { wire: 'truncate' }, times: 1 })
    const response = await call()
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
  })

  it('truncate: an answer without a body has a complete head', async () => {
    const world = sandbox.namespace('wire')
    await world.faults.add({ effect: { wire: 'truncate' }, times: 1 })
    const headers = { authorization: `Bearer ${world.key('enterprise')}` }
    expect((await fetch(`${sandbox.baseUrl}/pets`, { method: 'HEAD', headers })).status).toBe(200)
  })

  it('hang: nothing is received until the client gives up', async () => {
    await sandbox.namespace('wire').faults.add({ effect: { wire: 'hang' }, times: 1 })
    const controller = new AbortController()
    const pending = fetch(`${sandbox.baseUrl}/pets`, {
      headers: { authorization: `Bearer ${sandbox.namespace('wire').key('enterprise')}` },
      signal: controller.signal,
    })
    while ((await sandbox.namespace('wire').requests()).at(-1)?.decision.startsWith('fault:') !== true) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    controller.abort()
    await expect(pending).rejects.toThrow(/abort/)
  })
})
