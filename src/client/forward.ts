import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { fieldValue, fieldValues, type Reply, type Request } from '../domain/message.ts'
import { Problem } from '../domain/problem.ts'
import { reasonFor } from './reason.ts'
import { withoutSlashes } from './slashes.ts'

/** The largest body, of a request and of a response, that is passed on, in bytes: both are buffered. */
export const FORWARD_LIMIT = 64 * 1024 * 1024

const HEADER_LIMIT = 64 * 1024

/** Passes a request on to the service; `rest`: its target, relative to the base address where `inside` says so. */
export type Forward = (request: Request, rest: string, inside: boolean) => Promise<Reply>

/**
 * Passes requests on to a service and gives its responses as they are: no redirect is followed, no body
 * decompressed; header fields keep their order, spelling and repetitions, hop-by-hop ones aside (RFC 9110,
 * section 7.6.1). Rejects with `bad_gateway` where no whole response comes, or one that is too large.
 */
export function createForward(baseUrl: string, signal: AbortSignal): Forward {
  const url = new URL(baseUrl)
  const basePath = withoutSlashes(url.pathname)
  const { request: open } = url.protocol === 'https:' ? https : http
  const gone = (why: string) =>
    new Problem('bad_gateway', `The service at ${url.origin} gave no answer: ${why}.`)

  return (request, rest, inside) =>
    new Promise((resolve, reject) => {
      const sent = open({
        protocol: url.protocol,
        hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
        port: url.port,
        method: request.method,
        path: inside ? basePath + rest || '/' : rest,
        headers: requestFields(request, url.host),
        // A connection of its own: one that was kept could be closed by the service at the very moment of its use.
        agent: false,
        maxHeaderSize: HEADER_LIMIT,
        signal,
      })
      sent.on('error', ({ code, message }: NodeJS.ErrnoException) => reject(gone(reasonFor(code, message))))
      sent.on('response', (message) => {
        readBody(message, sent, gone).then((body) => resolve(replyOf(message, body)), reject)
      })
      sent.end(request.body)
    })
}

function readBody(
  message: IncomingMessage,
  sent: ClientRequest,
  gone: (why: string) => Problem,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    message.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size <= FORWARD_LIMIT) return
      sent.destroy()
      reject(
        gone(`its body is larger than ${FORWARD_LIMIT / 1024 / 1024} MiB, which the proxy does not pass on`),
      )
    })
    message.on('end', () => resolve(Buffer.concat(chunks)))
    message.on('error', () => reject(gone('it broke off')))
  })
}

const replyOf = (message: IncomingMessage, body: Uint8Array): Reply => ({
  status: message.statusCode ?? 0,
  reason: message.statusMessage ?? '',
  headers: endToEnd(message.rawHeaders),
  body,
  foreign: true,
})

/** The request's own fields; Host names the service, and a body is framed as it was. */
function requestFields({ method, headers }: Request, host: string): string[] {
  const fields = endToEnd(headers)
  const at = fields.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'host')
  if (at < 0) fields.unshift('Host', host)
  else fields[at + 1] = host
  if (fieldValue(headers, 'transfer-encoding') !== undefined) fields.push('Transfer-Encoding', 'chunked')
  else if (!FRAMELESS.has(method) && fieldValue(headers, 'content-length') === undefined) {
    fields.push('Content-Length', '0')
  }
  return fields
}

/** Methods for which Node announces no body unless told to. */
const FRAMELESS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'])

/** Fields that concern one connection only (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

function endToEnd(headers: readonly string[]): string[] {
  const named = fieldValues(headers, 'connection').flatMap((value) => value.split(','))
  const dropped = new Set([...HOP_BY_HOP, ...named.map((name) => name.trim().toLowerCase())])
  const fields: string[] = []
  for (let i = 0; i < headers.length; i += 2) {
    const [name = '', value = ''] = headers.slice(i, i + 2)
    if (!dropped.has(name.toLowerCase())) fields.push(name, value)
  }
  return fields
}
