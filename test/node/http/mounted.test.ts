import { execFile } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import http2 from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { createSandbox, type SandboxOptions } from '../../../src/compose/sandbox.ts'
import { parseRaw, sendRaw } from './raw.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const key = (name = 'psk_pro') => ({ authorization: `Bearer ${name}` })
const json = { 'content-type': 'application/json' }
const rex = JSON.stringify({ name: 'Rex', categoryId: 1 })

async function sandboxOf(options: SandboxOptions = {}) {
  const sandbox = await createSandbox({ listen: false, ...options })
  ends.push(() => sandbox.close())
  return sandbox
}

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => new Promise((resolve) => server.close(resolve)))
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

/** A server that answers the requests that the sandbox does not; `before` gets each request first. */
async function mountedIn(
  options: SandboxOptions = {},
  before: (message: http.IncomingMessage) => unknown = () => {},
) {
  const sandbox = await sandboxOf(options)
  const server = http.createServer(async (message, response) => {
    await before(message)
    sandbox.middleware(message, response, (error) =>
      response.end(error ? `failed: ${(error as Error).message}` : `not the sandbox's: ${message.url}`),
    )
  })
  const origin = await listening(server)
  ends.push(() => server.closeAllConnections())
  return { sandbox, origin }
}

describe('as a middleware', () => {
  it('says what to do if the host has read the body and kept none', async () => {
    const { origin } = await mountedIn({}, async (message) => {
      for await (const _ of message);
    })
    const response = await fetch(`${origin}/v1/pets`, {
      method: 'POST',
      headers: { ...key(), ...json },
      body: rex,
    })
    expect([response.status, await response.text()]).toEqual([
      500,
      expect.stringContaining('Put sandbox.middleware before what reads it'),
    ])
  })

  it('answers its own paths, and passes all others on', async () => {
    const { origin } = await mountedIn()
    const own = ['/v1/pets', '/v1/nope', '/_sandbox/health', '/_sandbox/', '/openapi.json']
    for (const path of own) expect(await textOf(origin + path), path).not.toContain("not the sandbox's")
    for (const path of ['/', '/v1.js', '/v10', '/src/_sandbox', '/openapi.json.map'])
      expect(await textOf(origin + path)).toBe(`not the sandbox's: ${path}`)
  })

  it('answers a request over HTTP/1.1 whose version is 2.0, as the server does', async () => {
    const { origin } = await mountedIn()
    const head = 'Host: localhost\r\nAuthorization: Bearer psk_pro\r\nConnection: close\r\n\r\n'
    const answer = await sendRaw(Number(new URL(origin).port), `GET /v1/pets HTTP/2.0\r\n${head}`)
    expect(JSON.parse(parseRaw(answer).body)).toHaveLength(12)
  })

  it('stores pets, writes the journal, and serves a document with the address of the server', async () => {
    const { origin, sandbox } = await mountedIn()
    const headers = { ...key(), ...json }
    const created = await fetch(`${origin}/v1/pets`, { method: 'POST', headers, body: rex })
    expect(created.status).toBe(201)
    await sandbox.verify({ operationId: 'createPet', body: { name: 'Rex' } }, { exactly: 1 })
    const document = await (await fetch(`${origin}/openapi.json`)).json()
    expect(document.servers[0].url).toBe(`${origin}/v1`)
  })

  it('accepts a body that a parser has already read', async () => {
    const parse = async (message: http.IncomingMessage) => {
      const chunks = await Readable.prototype.toArray.call(message)
      if (chunks.length > 0) Object.assign(message, { body: JSON.parse(Buffer.concat(chunks).toString()) })
    }
    const { origin } = await mountedIn({}, parse)
    const headers = { ...key(), ...json }
    const created = await fetch(`${origin}/v1/pets`, { method: 'POST', headers, body: rex })
    expect(await created.json()).toEqual({ id: 13, name: 'Rex', categoryId: 1 })
    expect((await fetch(`${origin}/v1/pets`, { headers: key() })).status).toBe(200)
  })

  it('guards the control API by the address of the peer, and by the scheme of the connection', async () => {
    const { origin } = await mountedIn({}, ({ socket, headers }) => {
      if (headers['x-test-tls']) Object.assign(socket, { encrypted: true })
      if (headers['x-test-address'])
        Object.defineProperty(socket, 'remoteAddress', { value: headers['x-test-address'] })
    })
    const reset = async (headers: Record<string, string>) => {
      const init = { method: 'POST', headers: { ...headers, connection: 'close' } }
      return (await fetch(`${origin}/_sandbox/reset`, init)).status
    }
    const secure = origin.replace('http:', 'https:')
    expect(await reset({ origin })).toBe(200)
    expect(await reset({ origin: secure })).toBe(403)
    expect(await reset({ origin: secure, 'x-test-tls': '1' })).toBe(200)
    expect(await reset({ 'x-test-address': '192.168.1.7' })).toBe(403)
    expect(await reset({ 'x-forwarded-for': '127.0.0.1' })).toBe(403)
  })

  it('a wire fault breaks the connection', async () => {
    const { origin, sandbox } = await mountedIn()
    await sandbox.faults.add({ effect: { wire: 'reset' }, times: 1 })
    await expect(fetch(`${origin}/v1/pets`, { headers: key() })).rejects.toThrow('fetch failed')
    expect((await fetch(`${origin}/v1/pets`, { headers: key() })).status).toBe(200)
  })

  it('does not break a connection on which another part of the server answers', async () => {
    const sandbox = await sandboxOf()
    let waiting: http.ServerResponse | undefined
    const server = http.createServer((message, response) =>
      sandbox.middleware(message, response, () => {
        waiting = response
        server.emit('waiting')
      }),
    )
    const origin = await listening(server)
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    ends.push(() => agent.destroy())
    const get = (path: string) =>
      new Promise<string>((resolve, reject) => {
        const headers = { ...key(), 'sec-fetch-site': 'same-origin' }
        http
          .get(origin + path, { agent, headers }, (response) => {
            let text = ''
            response.on('data', (chunk) => {
              text += chunk
            })
            response.on('end', () => resolve(text))
          })
          .on('error', reject)
      })
    await get('/v1/pets')
    const slow = get('/slow')
    await once(server, 'waiting')
    await sandbox.faults.add({ effect: { wire: 'reset' }, times: 1 })
    waiting?.end('late, and whole')
    expect(await slow).toBe('late, and whole')
  })

  describe('over HTTP/2', () => {
    async function over() {
      const sandbox = await sandboxOf()
      const server = http2.createServer((message, response) =>
        sandbox.middleware(message, response, () => response.end('passed on')),
      )
      const origin = await listening(server)
      const session = http2.connect(origin)
      ends.push(() => session.destroy())
      const requestFor = async (path: string, headers: http2.OutgoingHttpHeaders = {}, body?: string) => {
        const stream = session.request({ ':path': path, ...key(), ...headers }, { endStream: !body })
        if (body) stream.end(body)
        const [head] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders]
        const chunks = await stream.toArray()
        return { head, text: Buffer.concat(chunks).toString() }
      }
      return { sandbox, origin, requestFor }
    }

    it('behaves the same, with its pseudo-header fields mapped', async () => {
      const { sandbox, origin, requestFor } = await over()
      const created = await requestFor('/v1/pets', { ':method': 'POST', ...json }, rex)
      expect(created.head).toMatchObject({ ':status': 201, location: '/v1/pets/13' })
      expect((await requestFor('/elsewhere')).text).toBe('passed on')
      const document = JSON.parse((await requestFor('/openapi.json')).text)
      expect(document.servers[0].url).toBe(`${origin}/v1`)
      const reset = await requestFor('/_sandbox/reset', { ':method': 'POST', origin })
      expect(reset.head[':status']).toBe(200)
      const foreign = await requestFor('/_sandbox/reset', { ':method': 'POST', ':authority': 'evil.example' })
      expect(foreign.head[':status']).toBe(403)
      expect((await requestFor('/v1/pets', { ':method': 'HEAD' })).head['content-length']).toBe('675')
      expect(await sandbox.requests()).toHaveLength(1)
    })

    it.each(['reset', 'empty', 'garbage', 'truncate'] as const)(
      'the wire fault %s resets its stream, and no other',
      async (wire) => {
        const { sandbox, requestFor } = await over()
        await sandbox.faults.add({ match: { operationId: 'listPets' }, effect: { wire } })
        await expect(requestFor('/v1/pets')).rejects.toThrow(/Stream closed with error code/)
        expect((await requestFor('/v1/pets/1')).head[':status']).toBe(200)
      },
    )
  })
})

describe('as a handler that gets the socket', () => {
  async function lending() {
    const sandbox = await sandboxOf()
    const server = http.createServer(async (message, response) => {
      const request = new Request(`http://localhost${message.url}`, { headers: key() })
      const answer = await sandbox.handler(request, { socket: message.socket })
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
    })
    return { sandbox, origin: await listening(server) }
  }

  it.each([
    ['reset', { code: 'ECONNRESET' }],
    ['empty', { code: 'UND_ERR_SOCKET' }],
    ['garbage', { name: 'HTTPParserError' }],
  ] as const)('the wire fault %s breaks its connection', async (wire, cause) => {
    const { sandbox, origin } = await lending()
    await sandbox.faults.add({ effect: { wire }, times: 1 })
    const failed = fetch(`${origin}/v1/pets`)
    await expect(failed).rejects.toMatchObject({ message: 'fetch failed', cause })
    expect((await fetch(`${origin}/v1/pets`)).status).toBe(200)
  })

  it('uses it for the address of a control call', async () => {
    const { origin } = await lending()
    expect((await fetch(`${origin}/_sandbox/report`)).status).toBe(200)
  })
})

it('without a server stops reading a body that is too large', async () => {
  const sandbox = await sandboxOf()
  let sent = 0
  const endless = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await new Promise(setImmediate)
      sent += 64 * 1024
      controller.enqueue(new Uint8Array(64 * 1024))
    },
  })
  const init = { method: 'POST', headers: { ...key(), ...json }, body: endless, duplex: 'half' } as const
  expect((await sandbox.fetch('/v1/pets', init as RequestInit)).status).toBe(413)
  expect(sent).toBeLessThan(1024 * 1024)
})

it('without a server a request without a key is refused before its body has begun', async () => {
  const { fetch, handler } = await sandboxOf()
  const init = () => ({ method: 'POST', headers: json, body: new ReadableStream(), duplex: 'half' as const })
  expect((await fetch('/v1/pets', init())).status).toBe(401)
  expect((await handler(new Request('http://localhost/v1/pets', init()))).status).toBe(401)
})

it('a handler refuses a request that was aborted before or while it begins, and changes nothing', async () => {
  const { handler, export: stateOf } = await sandboxOf()
  const post = { method: 'POST', headers: { ...json, ...key() }, duplex: 'half' as const }
  const before = new Request('http://localhost/v1/pets', { ...post, body: rex, signal: AbortSignal.abort() })
  await expect(handler(before)).rejects.toThrow('aborted')
  const leaving = new AbortController()
  const body = new ReadableStream()
  const init = { ...post, body, signal: leaving.signal }
  const answered = handler(new Request('http://localhost/v1/pets', init))
  leaving.abort()
  await expect(answered).rejects.toThrow('aborted')
  expect((await stateOf()).pets).toHaveLength(12)
})

describe('once the sandbox is closed', () => {
  it('all requests are refused', async () => {
    const { sandbox, origin } = await mountedIn()
    await sandbox.close()
    const closed = 'fetch failed: the sandbox is closed'
    await expect(sandbox.fetch('/v1/pets')).rejects.toThrow(closed)
    await expect(sandbox.handler(new Request('http://localhost/v1/pets'))).rejects.toThrow(closed)
    await expect(sandbox.report()).rejects.toThrow(closed)
    expect(await textOf(`${origin}/v1/pets`)).toBe('failed: The sandbox is closed.')
  })

  it('a request whose body ends afterwards is refused', async () => {
    const sandbox = await sandboxOf()
    const { readable: body, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const init = { method: 'POST', headers: { ...json, ...key() }, body, duplex: 'half' as const }
    const refused = expect(sandbox.handler(new Request('http://localhost/v1/pets', init))).rejects.toThrow(
      'fetch failed: the sandbox is closed',
    )
    const writer = writable.getWriter()
    await writer.write(Buffer.from(rex))
    await sandbox.close()
    await Promise.all([writer.close(), refused])
  })

  it('an event stream that begins meanwhile ends', async () => {
    const { sandbox, origin } = await mountedIn({}, () => setImmediate(sandbox.close))
    expect(await textOf(`${origin}/_sandbox/events`)).toMatch(/^event: state/)
    const other = await sandboxOf()
    const events = other.fetch('/_sandbox/events')
    await other.close()
    expect(await (await events).text()).toMatch(/^event: state/)
  })

  it('a request that would be held open after its latency is rejected', async () => {
    const sandbox = await sandboxOf({ latency: '1m' })
    await sandbox.faults.add({ effect: { wire: 'hang' } })
    const hanging = expect(sandbox.fetch('/v1/pets', { headers: key() })).rejects.toThrow('sandbox is closed')
    await sandbox.close()
    await hanging
  })
})

describe('as a handler', () => {
  const requestFor = (path: string, init: RequestInit = {}) =>
    new Request(`http://localhost:3000${path}`, { ...init, headers: { ...key(), ...init.headers } })

  it('answers Requests, and has the address of the server in its document', async () => {
    const { handler } = await sandboxOf()
    const created = await handler(requestFor('/v1/pets', { method: 'POST', headers: json, body: rex }))
    expect(created.status).toBe(201)
    expect(await (await handler(requestFor('/v1/pets/13'))).json()).toMatchObject({ name: 'Rex' })
    const document = await (await handler(requestFor('/openapi.json'))).json()
    expect(document.servers[0].url).toBe('http://localhost:3000/v1')
    // A health check may have used another name of the server before.
    const elsewhere = await (await handler(new Request('http://app.test:3000/openapi.json'))).json()
    expect(elsewhere.servers[0].url).toBe('http://app.test:3000/v1')
  })

  it('refuses a body that is too large', async () => {
    const { handler } = await sandboxOf()
    const body = JSON.stringify({ name: 'x'.repeat(200_000), categoryId: 1 })
    expect((await handler(requestFor('/v1/pets', { method: 'POST', headers: json, body }))).status).toBe(413)
  })

  it.each<[string, SandboxOptions, object, Record<string, string>, number]>([
    ['not without an address', {}, {}, {}, 403],
    ['not by the context of a route handler', {}, { params: {} }, {}, 403],
    ['with the address of this machine', {}, { address: '::1' }, {}, 200],
    ['not with another', {}, { address: '10.0.0.1' }, {}, 403],
    ['with control: true', { control: true }, {}, {}, 200],
    ['not with control: true from another machine', { control: true }, { address: '10.0.0.1' }, {}, 403],
    ['not under another Host', { control: true }, {}, { host: 'evil.example' }, 403],
    ['not for a page of another origin', { control: true }, {}, { origin: 'http://evil.example' }, 403],
    ['with a token', { controlToken: 'secret' }, {}, { authorization: 'Bearer secret' }, 200],
    ['not with forwarding fields', { control: true }, {}, { 'x-forwarded-for': '::1' }, 403],
    [
      'with forwarding fields of the host',
      { control: true, trustForwarded: true },
      {},
      { 'x-forwarded-for': '::1', 'x-forwarded-proto': 'http' },
      200,
    ],
    [
      'not with those that name another machine',
      { control: true, trustForwarded: true },
      {},
      { 'x-forwarded-for': '10.0.0.1, ::1' },
      403,
    ],
    ['not by those alone', { trustForwarded: true }, {}, { 'x-forwarded-for': '127.0.0.1' }, 403],
  ])('answers control calls %s', async (_, options, peer, headers, status) => {
    const { handler } = await sandboxOf(options)
    const reset = new Request('http://localhost:3000/_sandbox/reset', { method: 'POST', headers })
    expect((await handler(reset, peer)).status).toBe(status)
  })

  it('has the remedy in the message of a refusal', async () => {
    const { handler } = await sandboxOf()
    const { message } = await (await handler(requestFor('/_sandbox/report'))).json()
    expect(message).toContain('pass { address } to the handler, or create the sandbox with control: true')
  })

  it('serves the page uncompressed, since some servers drop Content-Encoding, and with or without a trailing slash', async () => {
    const { handler } = await sandboxOf()
    const headers = { 'accept-encoding': 'gzip, br' }
    for (const path of ['/_sandbox', '/_sandbox/']) {
      const page = await handler(requestFor(path, { headers }))
      expect([page.status, page.headers.get('content-encoding')], path).toEqual([200, null])
      const text = await page.text()
      const assets = [...text.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, url = '']) => url)
      expect(assets.length, text).toBeGreaterThan(1)
      for (const asset of assets) {
        const { href } = new URL(asset, `http://localhost:3000${path}`)
        const answer = await handler(new Request(href, { headers }))
        expect([href, answer.status, answer.headers.get('content-encoding')]).toEqual([href, 200, null])
      }
    }
  })

  it('without a socket, a broken connection is an error like that of fetch', async () => {
    const { handler, faults } = await sandboxOf()
    for (const wire of ['reset', 'empty', 'garbage'] as const) {
      await faults.add({ effect: { wire }, when: 'after', times: 1 })
      await expect(handler(requestFor('/v1/pets')), wire).rejects.toMatchObject({
        name: 'TypeError',
        message: 'fetch failed',
        code: 'ECONNRESET',
      })
    }
    await faults.add({ effect: { wire: 'truncate' }, times: 1 })
    const response = await handler(requestFor('/v1/pets'))
    await expect(response.text()).rejects.toThrow('wire fault')
    await faults.add({ effect: { wire: 'hang' }, times: 1 })
    const signal = AbortSignal.timeout(50)
    await expect(handler(requestFor('/v1/pets', { signal }))).rejects.toThrow(/timeout/)
  })
})

const textOf = async (url: string): Promise<string> => (await fetch(url)).text()

it('a fetch that hangs is rejected when the sandbox is closed, and one whose body never ends when it is aborted', async () => {
  const sandbox = await createSandbox({ listen: false, log: 'silent' })
  await sandbox.faults.add({ effect: { wire: 'hang' }, match: { operationId: 'listPets' } })
  const headers = { authorization: 'Bearer psk_pro', 'content-type': 'application/json' }
  const hanging = sandbox.fetch('/v1/pets', { headers })
  const cancelled: unknown[] = []
  const body = new ReadableStream({ cancel: (reason) => void cancelled.push(reason) })
  const signal = AbortSignal.timeout(20)
  const init = { method: 'POST', headers, body, duplex: 'half' as const, signal }
  await expect(sandbox.fetch('/v1/pets', init)).rejects.toThrow('aborted due to timeout')
  expect(cancelled).toEqual([signal.reason])
  await sandbox.close()
  await expect(hanging).rejects.toThrow('the sandbox is closed')
})

it('a request that hangs behind a host server ends with the sandbox', async () => {
  const sandbox = await createSandbox({ listen: false, log: 'silent' })
  await sandbox.faults.add({ effect: { wire: 'hang' } })
  // The host server is closed after the test, which needs its connections to have ended.
  const url = await listening(http.createServer((req, res) => sandbox.middleware(req, res, () => res.end())))
  const hanging = expect(fetch(`${url}/v1/pets`, { headers: key() })).rejects.toThrow('fetch failed')
  await expect.poll(async () => (await sandbox.faults.list())[0]?.acted).toBe(1)
  await sandbox.close()
  await hanging
})

it('a hanging fetch keeps its process alive until its time is over', async () => {
  const script = `
    import { createSandbox } from ${JSON.stringify(new URL('../../../src/index.ts', import.meta.url).href)}
    const sandbox = await createSandbox({ listen: false, log: 'silent' })
    await sandbox.faults.add({ effect: { wire: 'hang' } })
    const init = { headers: { authorization: 'Bearer psk_pro' }, signal: AbortSignal.timeout(100) }
    console.log(await sandbox.fetch('/v1/pets', init).catch(({ name }) => name))`
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--import',
    'tsx',
    '--input-type=module',
    '-e',
    script,
  ])
  expect(stdout).toBe('TimeoutError\n')
})

it('a handler says what it takes', async () => {
  await using sandbox = await createSandbox({ listen: false, log: 'silent' })
  for (const wrong of ['http://localhost/v1/pets', {}, undefined])
    await expect(sandbox.handler(wrong as never)).rejects.toThrow('sandbox.handler: it takes a Request')
  const read = new Request('http://localhost/v1/pets', { method: 'POST', body: '{}' })
  await read.text()
  await expect(sandbox.handler(read)).rejects.toThrow('sandbox.handler: the body was read before')
})

it('a handler gets the body of a Request that has no stream of it, such as that of whatwg-fetch in Jest', async () => {
  await using sandbox = await createSandbox({ listen: false, log: 'silent' })
  const headers = { ...key(), ...json }
  const request = new Request('http://localhost/v1/pets', { method: 'POST', headers, body: rex })
  Object.defineProperty(request, 'body', { value: undefined })
  expect((await sandbox.handler(request)).status).toBe(201)
  const list = new Request('http://localhost/v1/pets', { headers })
  // Where there is no FileReader, it cannot make a Blob either.
  Object.defineProperties(list, { body: { value: undefined }, blob: { value: undefined } })
  expect((await sandbox.handler(list)).status).toBe(200)
})

it('a parser may read long integers as BigInt', async () => {
  await using sandbox = await createSandbox({ listen: false, log: 'silent' })
  const server = http
    .createServer((message, response) => {
      message.resume().on('end', () => {
        Object.assign(message, { body: { name: 'Kit', categoryId: 9007199254740993n } })
        sandbox.middleware(message, response, () => response.end('passed on'))
      })
    })
    .listen(0, '127.0.0.1')
  await once(server, 'listening')
  const headers = { authorization: 'Bearer psk_pro', 'content-type': 'application/json' }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/pets`
  const response = await fetch(url, { method: 'POST', headers, body: '{}' })
  expect([response.status, await response.text()]).toEqual([201, expect.stringContaining('9007199254740993')])
  server.close()
})
