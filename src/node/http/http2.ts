import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Stream } from 'node:http2'
import type { WireFault } from '../../world/faults/fault.ts'
import { fieldPairs, fieldsWhere, type Reply, type Request } from '../../world/traffic/message.ts'
import { collect, drain } from './body.ts'
import type { HttpDeps } from './responder.ts'
import { countUnsent, pour, pourSlices } from './send.ts'
import { type Break, untilShutdown } from './wire.ts'

/** A request without its pseudo-header fields (RFC 9113, section 8.3.1). */
export function requestOfHttp2(message: Http2ServerRequest): Request {
  const { method, url, authority, scheme, socket } = message
  const { host, cookie } = message.headers
  // Clients split cookies, which are one field in HTTP/1.1 (RFC 9113, section 8.2.3).
  const headers = fieldsWhere(message.rawHeaders, (name) => !/^(?::.*|cookie)$/.test(name))
  const named = [...(host === undefined ? ['host', authority] : []), ...(cookie ? ['cookie', cookie] : [])]
  return {
    method,
    target: url,
    headers: [...named, ...headers],
    body: undefined,
    tooLarge: false,
    address: socket.remoteAddress,
    onGone: (act) => {
      message.stream.once('close', act)
      return () => message.stream.off('close', act)
    },
    ...(scheme === 'https' && { scheme }),
  }
}

/** Like Responder, for one HTTP/2 stream. */
export function respondOverHttp2(
  deps: Omit<HttpDeps, 'refuse' | 'breaks'>,
  message: Http2ServerRequest,
  response: Http2ServerResponse,
  head: Request,
): void {
  const { handle, bodyLimit, onFailure } = deps
  // To read a body, only members are needed that both classes have.
  const incoming = message as unknown as IncomingMessage
  const { stream } = message
  const hasEnded = stream.endAfterHeaders
  const limit = hasEnded ? undefined : bodyLimit(head)
  // Unlike a message of HTTP/1, a destroyed one leaves its stream open.
  message.once('close', () => stream.close(ENHANCE_YOUR_CALM))
  if (hasEnded) answer(head)
  else if (limit !== undefined)
    collect(incoming, limit, (body) => isComplete() && answer({ ...head, ...body }))
  else {
    drain(incoming)
    answer({ ...head, tooLarge: true })
  }

  /** Node also ends the body of a stream that was reset, as if it were complete. */
  function isComplete(): boolean {
    return !stream.aborted && stream.rstCode === 0
  }

  function answer(request: Request): void {
    Promise.resolve(handle(request))
      .then((reply) => sendOverHttp2(response, reply, deps))
      .catch((error: unknown) => {
        onFailure(error)
        stream.close(INTERNAL_ERROR)
      })
  }
}

function sendOverHttp2(
  response: Http2ServerResponse,
  reply: Reply,
  { shutdown, onFailure }: Pick<HttpDeps, 'shutdown' | 'onFailure'>,
): void {
  const { stream } = response
  if (reply.onSent) stream.once('close', reply.onSent)
  if (stream.destroyed) return
  if (reply.wire) return void BREAKS[reply.wire](stream, response, reply, shutdown)
  response.writeHead(reply.status, fieldsOf(reply))
  if (reply.slices) pourSlices(stream, reply.slices, onFailure)
  else if (reply.stream) pour(stream, reply.stream, shutdown)
  else {
    countUnsent(stream, stream, reply.body)
    response.end(reply.body ?? '')
  }
}

function fieldsOf({ headers }: Reply): Record<string, string | string[]> {
  // Without the names that every object has, such as constructor.
  const fields: Record<string, string | string[]> = Object.create(null)
  for (const [field, value] of fieldPairs(headers)) {
    const name = field.toLowerCase()
    // Node refuses several lines of most standard fields. Joined, they mean the same (RFC 9110, section 5.3).
    const values = [...[fields[name] ?? []].flat(), value]
    fields[name] = name === 'set-cookie' ? values : values.join(', ')
  }
  return fields
}

/**
 * Error codes of RFC 9113, section 7. Browsers, curl and Go repeat no request after them; Go does after PROTOCOL_ERROR.
 */
const INTERNAL_ERROR = 2
const ENHANCE_YOUR_CALM = 11

/** A wire fault breaks its own stream only, because other requests share the connection. */
const BREAKS: Readonly<Record<WireFault, Break<ServerHttp2Stream, Http2ServerResponse>>> = {
  reset: (stream) => stream.close(INTERNAL_ERROR),
  empty: (stream) => stream.close(INTERNAL_ERROR),
  garbage: (stream) => stream.close(INTERNAL_ERROR),
  truncate: (stream, response, reply) => {
    const body = Buffer.from(reply.body ?? '')
    response.writeHead(reply.status, fieldsOf(reply))
    stream.write(body.subarray(0, body.length / 2), () => stream.close(INTERNAL_ERROR))
  },
  hang: (stream, _response, _reply, shutdown) =>
    untilShutdown(stream, shutdown, () => stream.close(INTERNAL_ERROR)),
}
