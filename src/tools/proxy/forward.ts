import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { RelayDeps } from '../../api/relay.ts'
import { inMiB } from '../../text/in-thousands.ts'
import { hostOf, withoutSlashes } from '../../text/url.ts'
import { formatDuration } from '../../time/duration.ts'
import { CUT_OFF, readBody, tooManyBodies } from '../../web/fetch.ts'
import { ApiError } from '../../world/api-error.ts'
import { reasonFor } from '../../world/traffic/connection-error.ts'
import {
  fieldElements,
  fieldsWhere,
  fieldValue,
  type Reply,
  type Request,
} from '../../world/traffic/message.ts'

/** The largest body of a request or response that is forwarded, in bytes; both are buffered. */
export const FORWARD_LIMIT = 64 * 1024 * 1024

/** The reason why a larger response is not read to its end. */
export const TOO_LARGE = `its body is larger than ${inMiB(FORWARD_LIMIT)}, which is the limit`

/** The default time limit of one response, in milliseconds. */
export const FORWARD_TIMEOUT = 30_000

const HEADER_LIMIT = 64 * 1024
const HEADERS_TOO_LARGE = `its header fields are larger than ${HEADER_LIMIT / 1024} KiB, which is the limit`

/**
 * Forwards requests to a service and returns its responses unchanged: redirects are not followed, bodies not
 * decompressed, and header fields keep their order, case and repetitions, except hop-by-hop fields (RFC 9110, section
 * 7.6.1). Rejects with `bad_gateway` if the response is incomplete or too large, and with `gateway_timeout` if it is
 * not complete within `timeout` milliseconds.
 */
export function createForward(baseUrl: string, signal: AbortSignal, timeout: number): RelayDeps['forward'] {
  const url = new URL(baseUrl)
  const basePath = withoutSlashes(url.pathname)
  const { request: open } = url.protocol === 'https:' ? https : http
  const gone = (why: string) =>
    new ApiError('bad_gateway', `The service at ${url.origin} did not answer: ${why}.`)
  const late = () =>
    new ApiError(
      'gateway_timeout',
      `The service at ${url.origin} sent no complete response within ${formatDuration(timeout)}. Use --timeout to wait longer.`,
    )

  return (request, rest, inside) =>
    new Promise((resolve, reject) => {
      const sent = open({
        protocol: url.protocol,
        hostname: hostOf(url),
        port: url.port,
        method: request.method,
        path: inside ? basePath + rest || '/' : rest,
        headers: requestFields(request, url.host),
        // A new connection: the service could close a kept one just when it is used.
        agent: false,
        maxHeaderSize: HEADER_LIMIT,
        signal,
      })
      // All fields together are limited; with a limit on their number, Node would drop the others silently.
      sent.maxHeadersCount = 0
      const deadline = setTimeout(() => {
        reject(late())
        sent.destroy()
      }, timeout)
      let isAnswered = false
      sent.on('close', () => {
        clearTimeout(deadline)
        // After an answer that switches protocols, Node closes the connection without an error.
        if (!isAnswered) reject(gone('the connection was closed before a response arrived'))
      })
      sent.on('error', ({ code, message }: NodeJS.ErrnoException) =>
        reject(gone(code === 'HPE_HEADER_OVERFLOW' ? HEADERS_TOO_LARGE : reasonFor(code, message))),
      )
      sent.on('response', (message) => {
        isAnswered = true
        // Node treats 101 without Upgrade as the final response.
        if ((message.statusCode ?? 0) < 200) {
          reject(gone(`${message.statusCode} is not a status of a response`))
          sent.destroy()
          return
        }
        readBody(message, FORWARD_LIMIT).then(
          ({ body }) => (body ? resolve(replyOf(message, body)) : reject(gone(TOO_LARGE))),
          ({ name }: Error) => reject(gone(name === CUT_OFF ? tooManyBodies() : 'it broke off')),
        )
      })
      sent.end(request.body)
    })
}

/**
 * Names the proxies that a request has passed (RFC 8586). Not Via: some servers, such as nginx, do not compress the
 * response to a request with it.
 */
const LOOP_FIELD = 'cdn-loop'

/** Refuses requests that this proxy has forwarded before. `id`: tells it from other proxies. */
export function withoutLoops(
  forward: RelayDeps['forward'],
  baseUrl: string,
  id: string,
): RelayDeps['forward'] {
  const proxy = `petstore-sandbox-${id}`
  return async (request, ...target) => {
    if (fieldElements(request.headers, LOOP_FIELD).includes(proxy))
      throw new ApiError(
        'bad_gateway',
        `${baseUrl} leads back to this proxy. Start the proxy with the address of the service, or with another --port.`,
      )
    return forward({ ...request, headers: [...request.headers, LOOP_FIELD, proxy] }, ...target)
  }
}

function replyOf(message: IncomingMessage, body: Uint8Array): Reply {
  const { statusCode: status = 0, statusMessage: reason = '', rawHeaders } = message
  // Node receives control characters in a reason, but sends none.
  const sent = reason.replaceAll(/[^\t -~\x80-\xff]/g, ' ')
  return { status, reason: sent, headers: endToEnd(rawHeaders), body, foreign: true }
}

/**
 * The header fields to forward. Host names the service. Content-Length is the length of the received body, whatever the
 * client sent, so that no part of the body can be read as a second request.
 */
function requestFields({ method, headers, body }: Request, host: string): string[] {
  const fields = endToEnd(headers)
  if (fieldValue(fields, 'host') === undefined) fields.unshift('Host', host)
  else setField(fields, 'Host', host)
  if (fieldValue(headers, 'transfer-encoding') !== undefined) fields.push('Transfer-Encoding', 'chunked')
  else if (!FRAMELESS.has(method) || body !== undefined)
    setField(fields, 'Content-Length', `${body?.length ?? 0}`)
  return fields
}

/** Methods for which Node sends no Content-Length by itself. */
const FRAMELESS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'])

/** Fields that concern one connection only (RFC 9110, section 7.6.1). */
const HOP_BY_HOP =
  /^(connection|keep-alive|proxy-(connection|authenticate|authorization)|te|trailer|transfer-encoding|upgrade)$/i

/**
 * Fields that a connection option cannot remove: they frame or describe the content, or concern every recipient
 * (RFC 9110, section 7.6.1).
 */
const END_TO_END = /^(authorization|cache-control|content-(encoding|length|type)|date|host)$/

/** Sets a field in its place, or appends it. */
function setField(fields: string[], name: string, value: string): void {
  const at = fields.findIndex((field, i) => i % 2 === 0 && field.toLowerCase() === name.toLowerCase())
  if (at < 0) fields.push(name, value)
  else fields[at + 1] = value
}

function endToEnd(headers: readonly string[]): string[] {
  const named = fieldElements(headers, 'connection').map((name) => name.toLowerCase())
  const options = named.filter((name) => !END_TO_END.test(name))
  return fieldsWhere(headers, (name) => !HOP_BY_HOP.test(name) && !options.includes(name.toLowerCase()))
}
