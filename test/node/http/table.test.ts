import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../../src/compose/sandbox.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await createSandbox({ port: 0, limits: { enterprise: 'unlimited/unlimited' } })
})
afterAll(() => sandbox.close())

const MiB = 1024 * 1024
const KEY = 'Authorization: Bearer psk_enterprise'
const PET = '{"name":"Kit","categoryId":2}'

/** A part of a request: a text (its lines end in CRLF), a number of body bytes, or the end of one direction. */
type Piece = string | { readonly bytes: number } | 'FIN'

interface Case {
  readonly name: string
  readonly send: readonly Piece[]
  /** The status of each answer, in order, including 100 Continue. */
  readonly answers: readonly number[]
  /** The code of the last answer. */
  readonly code?: string
  /** Whether the connection is closed after the last answer. */
  readonly closes?: true
}

const head = (line: string, ...fields: string[]) => [`${line} HTTP/1.1`, ...fields, '', ''].join('\r\n')
const get = (...fields: string[]) => head('GET /v1/pets/1', ...fields)
const post = (...fields: string[]) =>
  head('POST /v1/pets', 'Host: x', 'Content-Type: application/json', ...fields)
const last = 'Connection: close'
/** A POST to the control API. */
const control = (path: string, body: string, ...fields: string[]) =>
  `${head(`POST /_sandbox${path}`, 'Host: localhost', `Content-Length: ${body.length}`, ...fields)}${body}`

const host = (value: string, status: number): Case => ({
  name: `Host: ${value}`,
  send: [get(`Host: ${value}`, KEY, last)],
  answers: [status],
  closes: true,
})

const TABLE: Readonly<Record<string, readonly Case[]>> = {
  'Host (RFC 9112, section 3.2)': [
    ...['localhost', 'localhost:4010', 'a.example:', '', 'a_b~c', 'a,b', '%41.example', '127.0.0.1:1'].map(
      (value) => host(value, 200),
    ),
    ...['[::1]', '[::1]:4010', '[::ffff:1.2.3.4]', '[v1.a:b]'].map((value) => host(value, 200)),
    ...['a b', 'a, b', 'http://x/', 'u@b', 'x/y', 'x?y', 'x:80:80', 'x:port', '%4', 'ä.example', '"x"'].map(
      (value) => host(value, 400),
    ),
    ...['[::1', '::1', '[]', '[1.2.3.4]', '[fe80::1%25eth0]', '[::1]x'].map((value) => host(value, 400)),
    { name: 'none', send: [get(KEY)], answers: [400], code: 'invalid_request', closes: true },
    { name: 'two', send: [get('Host: x', 'Host: x', KEY)], answers: [400], closes: true },
    {
      name: 'two in HTTP/1.0',
      send: [get('Host: x', 'Host: x').replace('1.1', '1.0')],
      answers: [400],
      closes: true,
    },
    { name: 'none in HTTP/1.0', send: [get(KEY).replace('1.1', '1.0')], answers: [200], closes: true },
  ],
  targets: [
    {
      name: 'absolute form',
      send: [head('GET http://a.example/v1/pets/1', 'Host: x', KEY, last)],
      answers: [200],
    },
    {
      name: 'absolute form in capitals',
      send: [head('GET HTTP://a.example/v1/pets/1', 'Host: x', KEY, last)],
      answers: [200],
    },
    {
      name: 'absolute form without a path',
      send: [head('GET http://a.example', 'Host: x', KEY, last)],
      answers: [404],
    },
    {
      name: 'absolute form of the control API',
      send: [head('GET http://localhost/_sandbox/health', 'Host: localhost', last)],
      answers: [200],
    },
    {
      name: 'absolute form of the control API, in capitals',
      send: [head('GET HTTP://localhost/_sandbox/health', 'Host: localhost', last)],
      answers: [200],
    },
    { name: 'two slashes', send: [head('GET //v1/pets', 'Host: x', KEY, last)], answers: [404] },
    { name: 'no slash', send: [head('GET v1/pets', 'Host: x', KEY, last)], answers: [400] },
    { name: 'asterisk', send: [head('OPTIONS *', 'Host: x', last)], answers: [204] },
    { name: 'authority', send: [head('CONNECT a.example:80', 'Host: x', last)], answers: [404] },
    { name: 'a control character', send: [head('GET /v1/pets\x01', 'Host: x', KEY, last)], answers: [400] },
    { name: 'a NUL', send: [head('GET /v1/pets\0', 'Host: x', KEY, last)], answers: [400] },
  ],
  fields: [
    { name: 'a NUL', send: [get('Host: x', KEY, 'X: a\0b', last)], answers: [400], closes: true },
    { name: 'a bare CR', send: [get('Host: x', KEY, 'X: a\rb', last)], answers: [400], closes: true },
    { name: 'obs-fold', send: [get('Host: x', KEY, 'X: a', ' b', last)], answers: [400], closes: true },
    {
      name: 'a blank before the colon',
      send: [get('Host: x', KEY, 'X : a', last)],
      answers: [400],
      closes: true,
    },
    { name: 'no colon', send: [get('Host: x', 'X', last)], answers: [400], closes: true },
    { name: 'bytes beyond ASCII', send: [get('Host: x', KEY, 'X: \xe4\xff', last)], answers: [200] },
    {
      name: 'a head of 15 KiB',
      send: [get('Host: x', KEY, `X: ${'x'.repeat(15_000)}`, last)],
      answers: [200],
    },
    {
      name: 'a head of 1 MiB',
      send: [get('Host: x', KEY, `X: ${'x'.repeat(MiB)}`)],
      answers: [431],
      code: 'headers_too_large',
      closes: true,
    },
    {
      name: 'a target of 100 KiB',
      send: [head(`GET /v1/pets?${'x'.repeat(100_000)}`, 'Host: x', KEY)],
      answers: [431],
      closes: true,
    },
    {
      name: 'Prefer in two lines, of which the first has another preference',
      send: [get('Host: x', KEY, 'Prefer: wait=1', 'Prefer: code=503', last)],
      answers: [503],
    },
    {
      name: 'Prefer in two lines, of which the first counts',
      send: [get('Host: x', KEY, 'Prefer: code=404', 'Prefer: code=503', last)],
      answers: [404],
      code: 'pet_not_found',
    },
    {
      name: 'Accept in two lines, of which the second prefers HTML',
      send: [head('GET /', 'Host: x', 'Accept: application/json;q=0.1', 'Accept: text/html', last)],
      answers: [302],
    },
    { name: '2,000 fields', send: [get('Host: x', KEY, ...Array(2000).fill('a:'), last)], answers: [200] },
  ],
  framing: [
    { name: 'a length', send: [post(KEY, `Content-Length: ${PET.length}`, last), PET], answers: [201] },
    {
      name: 'chunks',
      send: [post(KEY, 'Transfer-Encoding: chunked', last), `1d;a=b\r\n${PET}\r\n0\r\nX: trailer\r\n\r\n`],
      answers: [201],
    },
    {
      name: 'CHUNKED',
      send: [post(KEY, 'Transfer-Encoding: CHUNKED', last), `1d\r\n${PET}\r\n0\r\n\r\n`],
      answers: [201],
    },
    {
      name: 'gzip, chunked',
      send: [post(KEY, 'Transfer-Encoding: gzip, chunked'), '0\r\n\r\n'],
      answers: [501],
      code: 'not_implemented',
      closes: true,
    },
    {
      name: 'gzip and chunked in two fields',
      send: [post(KEY, 'Transfer-Encoding: gzip', 'Transfer-Encoding: chunked'), '0\r\n\r\n'],
      answers: [501],
      closes: true,
    },
    { name: 'gzip', send: [post(KEY, 'Transfer-Encoding: gzip'), '0\r\n\r\n'], answers: [400], closes: true },
    {
      name: 'chunked, gzip',
      send: [post(KEY, 'Transfer-Encoding: chunked, gzip'), '0\r\n\r\n'],
      answers: [400],
      closes: true,
    },
    {
      name: 'a length and chunks',
      send: [post(KEY, 'Content-Length: 5', 'Transfer-Encoding: chunked'), '0\r\n\r\n'],
      answers: [400],
      closes: true,
    },
    {
      name: 'two lengths',
      send: [post(KEY, 'Content-Length: 1', 'Content-Length: 2'), PET],
      answers: [400],
      closes: true,
    },
    {
      name: 'one length twice',
      send: [post(KEY, 'Content-Length: 29', 'Content-Length: 29'), PET],
      answers: [400],
      closes: true,
    },
    {
      name: 'a list as length',
      send: [post(KEY, 'Content-Length: 29, 29'), PET],
      answers: [400],
      closes: true,
    },
    { name: 'a negative length', send: [post(KEY, 'Content-Length: -1'), PET], answers: [400], closes: true },
    {
      name: 'a length with a sign',
      send: [post(KEY, 'Content-Length: +29'), PET],
      answers: [400],
      closes: true,
    },
    {
      name: 'a length beyond 64 bits',
      send: [post(KEY, `Content-Length: ${'9'.repeat(30)}`), PET],
      answers: [400],
      closes: true,
    },
    {
      name: 'a chunk whose size is not a number',
      send: [post(KEY, 'Transfer-Encoding: chunked'), 'xyz\r\n'],
      answers: [400],
      closes: true,
    },
    { name: 'nonsense', send: ['NONSENSE\r\n\r\n'], answers: [400], code: 'invalid_request', closes: true },
    { name: 'HTTP/2', send: ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'], answers: [400], closes: true },
  ],
  pipelining: [
    {
      name: 'three',
      send: [get('Host: x', KEY) + get('Host: x') + get('Host: x', KEY, last)],
      answers: [200, 401, 200],
      closes: true,
    },
    {
      name: 'a 401 and its body, and the next',
      send: [post('Content-Length: 29'), PET, get('Host: x', KEY, last)],
      answers: [401, 200],
    },
    {
      name: 'nothing is carried out behind the last',
      send: [get('Host: x', KEY, last) + post(KEY, 'Content-Length: 29') + PET],
      answers: [200],
      closes: true,
    },
    {
      name: 'nonsense behind a request',
      send: [`${get('Host: x', KEY)}NONSENSE\r\n\r\n`],
      answers: [200, 400],
      closes: true,
    },
  ],
  'half-closing': [
    { name: 'after a request', send: [get('Host: x', KEY), 'FIN'], answers: [200], closes: true },
    {
      name: 'before a late answer',
      send: [get('Host: x', 'Authorization: Bearer psk_slow'), 'FIN'],
      answers: [200],
      closes: true,
    },
    {
      name: 'after two requests',
      send: [get('Host: x', 'Authorization: Bearer psk_slow') + get('Host: x', KEY), 'FIN'],
      answers: [200, 200],
      closes: true,
    },
    {
      name: 'within a body that asks for another protocol',
      send: [post(KEY, 'Connection: upgrade', 'Upgrade: h2c', 'Content-Length: 29'), '{', 'FIN'],
      answers: [400],
      code: 'invalid_request',
      closes: true,
    },
    {
      name: 'after a chunk whose size is not a number, of a request that asks for another protocol',
      send: [
        post(KEY, 'Connection: upgrade', 'Upgrade: h2c', 'Transfer-Encoding: chunked'),
        'xyz\r\n',
        'FIN',
      ],
      answers: [400],
      code: 'invalid_request',
      closes: true,
    },
    {
      name: 'within a body',
      send: [post(KEY, 'Content-Length: 29'), '{', 'FIN'],
      answers: [400],
      closes: true,
    },
    { name: 'within a head', send: ['GET /v1/pets HT', 'FIN'], answers: [400], closes: true },
    {
      name: 'before a message of MCP is answered',
      send: [
        control(
          '/mcp',
          '{"jsonrpc":"2.0","id":1,"method":"ping"}',
          'Content-Type: application/json',
          'Accept: application/json',
          'Accept: text/event-stream',
        ),
        'FIN',
      ],
      answers: [200],
      closes: true,
    },
  ],
  'bodies that nobody waits for': [
    { name: '401', send: [post('Content-Length: 29')], answers: [401], code: 'missing_api_key' },
    {
      name: '401 with chunks',
      send: [post('Authorization: Bearer x', 'Transfer-Encoding: chunked')],
      answers: [401],
      code: 'invalid_api_key',
    },
    { name: 'outside /v1', send: [head('POST /pets', 'Host: x', 'Content-Length: 29')], answers: [404] },
    { name: 'OPTIONS', send: [head('OPTIONS /v1/pets', 'Host: x', 'Content-Length: 29')], answers: [204] },
    {
      name: 'the control API, to the guard',
      send: [head('POST /_sandbox/reset', 'Host: evil.example', 'Content-Length: 29')],
      answers: [403],
      code: 'control_forbidden',
    },
    {
      name: 'a coding that is not known',
      send: [post(KEY, 'Transfer-Encoding: gzip, chunked')],
      answers: [501],
      closes: true,
    },
  ],
  Expect: [
    {
      name: 'without a body: what follows is not carried out, as it is not answered',
      send: [
        `${get('Host: x', 'Authorization: Bearer x', 'Expect: 100-continue')}${post(KEY, 'Content-Length: 29')}${PET}`,
      ],
      answers: [401],
      closes: true,
    },
    { name: 'anything else', send: [get('Host: x', 'Expect: x', KEY, last)], answers: [200] },
    {
      name: '100-continue',
      send: [post(KEY, 'Expect: 100-continue', 'Content-Length: 29', last), PET],
      answers: [100, 201],
    },
    {
      name: '100-continue with an unknown key',
      send: [post('Authorization: Bearer x', 'Expect: 100-continue', 'Content-Length: 29')],
      answers: [401],
      closes: true,
    },
    {
      name: '100-continue with a body that is too large',
      send: [post(KEY, 'Expect: 100-continue', `Content-Length: ${300 * MiB}`)],
      answers: [413],
      closes: true,
    },
    {
      name: '100-continue with chunks that are too many',
      send: [post(KEY, 'Expect: 100-continue', 'Transfer-Encoding: chunked'), '100000\r\n', { bytes: MiB }],
      answers: [100, 413],
      closes: true,
    },
  ],
  'bodies that are too large': [
    {
      name: 'is answered before it came',
      send: [post(KEY, `Content-Length: ${MiB}`)],
      answers: [413],
      code: 'body_too_large',
      closes: true,
    },
    {
      name: '1 MiB',
      send: [post(KEY, `Content-Length: ${MiB}`), { bytes: MiB }],
      answers: [413],
      closes: true,
    },
    {
      name: '300 MiB',
      send: [post(KEY, `Content-Length: ${300 * MiB}`), { bytes: 300 * MiB }],
      answers: [413],
      closes: true,
    },
    {
      name: '2 MiB in one chunk',
      send: [post(KEY, 'Transfer-Encoding: chunked'), '200000\r\n', { bytes: 2 * MiB }, '\r\n0\r\n\r\n'],
      answers: [413],
      closes: true,
    },
    {
      name: '1 MiB with an unknown key',
      send: [
        post('Authorization: Bearer x', `Content-Length: ${MiB}`),
        { bytes: MiB },
        get('Host: x', KEY, last),
      ],
      answers: [401, 200],
    },
    {
      name: '1 MiB of text',
      send: [
        head('POST /v1/pets', 'Host: x', KEY, 'Content-Type: text/plain', `Content-Length: ${MiB}`),
        { bytes: MiB },
        get('Host: x', KEY, last),
      ],
      answers: [415, 200],
    },
    {
      name: '1 MiB where PUT is not allowed',
      send: [
        head('PUT /v1/pets', 'Host: x', KEY, `Content-Length: ${MiB}`),
        { bytes: MiB },
        get('Host: x', KEY, last),
      ],
      answers: [405, 200],
    },
    {
      name: 'nothing is carried out behind it',
      send: [post(KEY, `Content-Length: ${MiB}`), { bytes: MiB }, post(KEY, 'Content-Length: 29'), PET],
      answers: [413],
      closes: true,
    },
  ],
}

describe.each(Object.entries(TABLE))('%s', (_, cases) => {
  it.each(cases)('$name', async ({ send, answers, code, closes = false }) => {
    const before = (await sandbox.export()).pets.length
    const { answered, isClosed } = await exchange(send, answers.length, closes)
    expect(answered.map(({ status }) => status)).toEqual(answers)
    expect(isClosed).toBe(closes || isClosed)
    const final = answered.at(-1)
    if (final && final.status >= 400) {
      const error = JSON.parse(final.body)
      expect(error).toEqual({
        code: code ?? expect.any(String),
        message: expect.any(String),
        status: final.status,
      })
    }
    const created = answers.filter((status) => status === 201).length
    expect((await sandbox.export()).pets).toHaveLength(before + created)
  })
})

it('a body of 300 MiB is not kept, and its request is in the journal', async () => {
  const before = process.memoryUsage()
  await exchange([post(KEY, `Content-Length: ${300 * MiB}`), { bytes: 300 * MiB }], 1, true)
  const after = process.memoryUsage()
  expect(after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers).toBeLessThan(64 * MiB)
  const entry = (await sandbox.requests()).at(-1)
  expect(entry).toMatchObject({ status: 413, decision: 'refused:request', request: { body: '… (not kept)' } })
})

interface Answer {
  readonly status: number
  readonly body: string
}

/** Sends the pieces one after the other; resolves with the answers. */
function exchange(
  pieces: readonly Piece[],
  expected: number,
  closes: boolean,
): Promise<{ answered: Answer[]; isClosed: boolean }> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: sandbox.port, host: '127.0.0.1', allowHalfOpen: true })
    let text = ''
    let isSent = false
    let isClosed = false
    const check = () => {
      if (!isClosed && (!isSent || closes || answersIn(text).length < expected)) return
      socket.destroy()
      resolve({ answered: answersIn(text), isClosed })
    }
    socket.setTimeout(60_000, () => reject(new Error(`no answer in time; so far: ${text}`)))
    socket.on('data', (data) => {
      text += data.toString('latin1')
      check()
    })
    socket.on('end', () => {
      isClosed = true
      if (isSent) check()
    })
    // A sender that continues after the end of its connection gets an error, after its answer.
    socket.on('error', (error) => answersIn(text).length < expected && reject(error))
    socket.on('close', () => {
      isClosed = true
      check()
    })
    socket.on('connect', async () => {
      for (const piece of pieces) await sendPiece(socket, piece)
      isSent = true
      check()
    })
  })
}

const FILLER = Buffer.alloc(MiB, 'x')

async function sendPiece(socket: ReturnType<typeof connect>, piece: Piece): Promise<void> {
  if (piece === 'FIN') {
    socket.end()
    return
  }
  const write = (data: Buffer) =>
    new Promise<void>((resolve) => (socket.destroyed ? resolve() : socket.write(data, () => resolve())))
  if (typeof piece === 'string') return write(Buffer.from(piece, 'latin1'))
  for (let left = piece.bytes; left > 0 && !socket.destroyed; left -= FILLER.length)
    await write(left < FILLER.length ? FILLER.subarray(0, left) : FILLER)
}

/** Parses the answers in a text by their Content-Length. */
function answersIn(text: string): Answer[] {
  const answers: Answer[] = []
  let rest = text
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(rest)?.[1])
    if (end < 0 || Number.isNaN(status)) return answers
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(rest.slice(0, end))?.[1] ?? 0)
    if (rest.length < end + 4 + length) return answers
    answers.push({ status, body: rest.slice(end + 4, end + 4 + length) })
    rest = rest.slice(end + 4 + length)
  }
}
