import { once } from 'node:events'
import { type ClientRequestArgs, createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

/** A request that a service received. */
export interface Received {
  readonly method: string
  readonly target: string
  readonly headers: readonly string[]
  readonly body: string
}

/** A response that a client received. */
export interface Got {
  readonly status: number
  readonly reason: string
  /** A flat list, without fields for a single connection. */
  readonly headers: readonly string[]
  /** One character per byte. */
  readonly body: string
}

type Answer = {
  status?: number
  reason?: string
  headers?: string[]
  body?: Buffer | string
  chunks?: string[]
}

const LARGE = Buffer.from(Array.from({ length: 1024 * 1024 }, (_, i) => (i * 7 + (i >> 8)) % 256))

/** Unusual but valid answers of a service, by path. */
export const ODD: Readonly<Record<string, Answer>> = {
  '/gzip': {
    headers: [
      ...['Content-Encoding', 'gzip', 'Content-Type', 'application/json'],
      ...['Date', 'Thu, 19 Nov 2026 12:34:56 GMT'],
    ],
    body: gzipSync('[{"id":1}]'),
  },
  '/no-gzip': { headers: ['Content-Encoding', 'gzip', 'Content-Length', '4'], body: 'oops' },
  '/chunks': { headers: ['Content-Type', 'text/plain'], chunks: ['one, ', 'two, ', 'three'] },
  '/cookies': {
    headers: ['Set-Cookie', 'a=1; Path=/', 'X-Between', '', 'Set-Cookie', 'b=2', 'set-cookie', 'a=3'],
  },
  '/moved': { status: 302, headers: ['Location', 'http://elsewhere.invalid/v1/pets'], body: 'over there' },
  '/kept-method': { status: 307, headers: ['Location', '/v1/pets'] },
  '/nothing': { status: 204 },
  '/unchanged': { status: 304, headers: ['ETag', '"x"', 'Content-Length', '99'] },
  '/untyped': { body: '{"what":"is this"}' },
  '/case': { headers: ['x-ODD-cAsE', 'As It Is', 'X-Latin', 'caf\u00e9', 'X-Spaces', 'a  b'], body: 'x' },
  '/many-fields': { headers: Array.from({ length: 3000 }, (_, i) => (i % 2 === 0 ? `X-${i}` : `${i}`)) },
  '/large': { headers: ['Content-Length', String(LARGE.length)], body: LARGE },
  '/teapot': { status: 418, reason: 'Short and stout', body: 'tea' },
  '/unheard': { status: 299, reason: '', body: 'fine' },
  '/last': { status: 599, reason: 'The End' },
  '/hop': { headers: ['Connection', 'X-Hop', 'X-Hop', 'here only', 'X-Stays', 'yes'], body: 'hop' },
  '/empty': { headers: ['Content-Length', '0'] },
}

export interface Upstream {
  readonly server: Server
  readonly origin: string
  readonly received: Received[]
}

/** A service with unusual answers, without a Date of its own, which records the requests. */
export async function startUpstream(): Promise<Upstream> {
  const received: Received[] = []
  const server = createServer((message, response) => {
    const chunks: Buffer[] = []
    message.on('data', (chunk: Buffer) => chunks.push(chunk))
    message.on('end', () => {
      const { method = '', url = '', rawHeaders } = message
      received.push({
        method,
        target: url,
        headers: rawHeaders,
        body: Buffer.concat(chunks).toString('latin1'),
      })
      const {
        status = 200,
        reason,
        headers = [],
        body,
        chunks: pieces,
      } = ODD[url.replace(/^\/api\/v1/, '')] ?? {}
      response.sendDate = false
      if (reason === undefined) response.writeHead(status, headers)
      else response.writeHead(status, reason, headers)
      for (const piece of pieces ?? []) response.write(piece)
      response.end(body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, received, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Sends a request on its own connection, with exactly these header fields and Host. */
export async function get(
  origin: string,
  path: string,
  {
    method = 'GET',
    headers = [],
    body,
  }: { method?: string; headers?: string[]; body?: string | Buffer } = {},
): Promise<Got> {
  const { hostname, port, host } = new URL(origin)
  const options: ClientRequestArgs = {
    hostname,
    port,
    method,
    path,
    headers: ['Host', host, ...headers],
    agent: false,
  }
  const sent = request(options)
  sent.maxHeadersCount = 0
  sent.end(body)
  const [message] = await once(sent, 'response')
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  return {
    status: message.statusCode,
    reason: message.statusMessage,
    headers: endToEnd(message.rawHeaders),
    body: Buffer.concat(chunks).toString('latin1'),
  }
}

/** Header fields without those of the connection, with their spelling. */
export function endToEnd(headers: readonly string[], but: readonly string[] = []): string[] {
  const dropped = ['connection', 'keep-alive', 'transfer-encoding', 'x-hop', ...but]
  return headers.filter((_, i) => !dropped.includes(headers[i - (i % 2)]?.toLowerCase() ?? ''))
}
