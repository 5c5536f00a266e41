import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ApiError } from '../domain/api-error.ts'
import { fieldValues, type Handle, type Reply, type Request } from '../domain/traffic/message.ts'
import { collect, declaresMore, drain, hasBody, type ReceivedBody } from './body.ts'
import { trackBrowsers } from './browsers.ts'
import { atEndOfTurn } from './end-of-turn.ts'
import { isHost } from './host.ts'
import { createServer } from './node-http.ts'
import { answerRaw, refusalOf } from './raw-response.ts'
import { send } from './send.ts'

export interface HttpDeps {
  readonly handle: Handle
  /** The response to what never became a request. */
  readonly refuse: (problem: ApiError) => Reply
  /**
   * The largest body of a request that is kept, in bytes; what lies beyond is read and thrown away. Undefined where
   * its head decides: it is answered without waiting for a body. `head`: the request without its body.
   */
  readonly bodyLimit: (head: Request) => number | undefined
  /** Whether a wire fault may act on the next request. */
  readonly breaks: () => boolean
  /** What nobody meant to happen. */
  readonly onFailure: (error: unknown) => void
  /** When it aborts, streams end: everything does. */
  readonly ending: AbortSignal
}

export interface HttpServer {
  readonly server: Server
  /** To be called when a wire fault may act from now on: closes the connections on which nobody would notice it. */
  readonly freshen: () => Promise<void>
}

/** Node's server as a thin adapter around `handle`: complete requests in, replies out. */
export function createHttpServer(deps: HttpDeps): HttpServer {
  const { handle, refuse, bodyLimit, breaks, onFailure, ending } = deps
  /** The answer that a connection got last, or is about to get. */
  const lastOf = new WeakMap<Duplex, ServerResponse>()
  /** Connections on which no more is answered. */
  const closing = new WeakSet<Duplex>()
  const browsers = trackBrowsers(breaks)
  const server = createServer({ requireHostHeader: false, keepAliveTimeout: 65_000 }, (message, response) =>
    serve(message, response, false),
  )
  // The bound is the 16 KiB of all fields; beyond a number of them Node would drop the rest in silence.
  server.maxHeadersCount = 0
  // Node's own switch, which its types leave out: a client that has said all still gets its answer.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('connection', browsers.opened)
  server.on('checkContinue', (message, response) => serve(message, response, true))
  // Served as if the expectation were absent.
  server.on('checkExpectation', (message, response) => serve(message, response, false))
  // By the end of the turn, whatever came whole before the error is at work; it is answered first.
  const refuseLater = atEndOfTurn(({ error, socket }: Broken) => {
    const refuseIt = () => answerRaw(socket as Socket, refuse(refusalOf(error)))
    const before = lastOf.get(socket)
    if (before && !before.writableFinished && !before.destroyed) before.once('close', refuseIt)
    else refuseIt()
  })
  server.on('clientError', (error, socket) => refuseLater({ error, socket }))
  server.on('connect', (message, socket) => {
    const reply = handle(requestOf(message))
    Promise.resolve(reply).then((ready) => answerRaw(socket as Socket, ready), onFailure)
  })
  const deliverLater = atEndOfTurn(({ response, reply }: Answered) => deliver(response, reply))
  return { server, freshen: browsers.closeIdle }

  /** `asks`: whether its sender waits for 100 Continue before it sends the body. */
  function serve(message: IncomingMessage, response: ServerResponse, asks: boolean): void {
    // What follows the last request that is answered is not carried out either (RFC 9112, section 9.6).
    if (closing.has(message.socket)) return
    browsers.asked(message, response)
    const problem = problemOf(message)
    if (!hasBody(message.rawHeaders)) {
      // Node closes after the answer to one that it did not tell to go on.
      if (asks) isLast(response)
      if (problem) deliver(response, refuse(problem))
      else answer(response, requestOf(message))
      return
    }
    const head = requestOf(message)
    const limit = problem ? undefined : bodyLimit(head)
    if (limit !== undefined && !(asks && declaresMore(message, limit))) {
      if (asks) response.writeContinue()
      collect(message, limit, (body) => answer(response, { ...head, ...partsOf(body) }))
      return
    }
    // A sender that is not told to go on may leave its body out: what follows would be taken for it.
    if (asks) isLast(response)
    drain(message)
    if (problem) deliver(response, refuse(problem))
    else answer(response, { ...head, tooLarge: true })
  }

  function answer(response: ServerResponse, request: Request): void {
    lastOf.set(response.req.socket, response)
    const reply = handle(request)
    if (reply instanceof Promise) reply.then((ready) => deliver(response, ready), onFailure)
    else {
      if (reply.close) isLast(response)
      deliverLater({ response, reply })
    }
  }

  /** Says so before the next request on the connection is read. */
  function isLast(response: ServerResponse): void {
    response.shouldKeepAlive = false
    closing.add(response.req.socket)
  }

  /** What cannot be sent ends its own connection, and no other. */
  function deliver(response: ServerResponse, reply: Reply): void {
    if (browsers.endsWith(response.req) || reply.close || !response.shouldKeepAlive) isLast(response)
    try {
      send(response, reply, ending)
    } catch (error) {
      onFailure(error)
      response.destroy()
    }
  }
}

interface Broken {
  readonly error: Error
  readonly socket: Duplex
}

interface Answered {
  readonly response: ServerResponse
  readonly reply: Reply
}

/** What makes a message that Node's parser took no request (RFC 9112, sections 3.2 and 6.1). */
function problemOf({ httpVersion, rawHeaders }: IncomingMessage): ApiError | undefined {
  const [host, ...more] = fieldValues(rawHeaders, 'host')
  if (more.length > 0 || (host === undefined && httpVersion === '1.1')) {
    return new ApiError('invalid_request', 'An HTTP/1.1 request needs exactly one Host header.')
  }
  if (host !== undefined && !isHost(host)) {
    const shown = host.slice(0, 100)
    return new ApiError(
      'invalid_request',
      `The Host header "${shown}" is not valid; send <host> or <host>:<port>.`,
    )
  }
  const codings = fieldValues(rawHeaders, 'transfer-encoding').join(', ')
  if (codings === '' || codings.trim().toLowerCase() === 'chunked') return undefined
  const shown = codings.slice(0, 100)
  if (!/(?:^|,)[ \t]*chunked[ \t]*$/i.test(codings)) {
    const message = `The Transfer-Encoding "${shown}" does not end in chunked.`
    return new ApiError('invalid_request', message)
  }
  return new ApiError('not_implemented', `The Transfer-Encoding "${shown}" is not implemented; send chunked.`)
}

const requestOf = (message: IncomingMessage): Request => ({
  method: message.method ?? 'GET',
  target: message.url ?? '/',
  headers: message.rawHeaders,
  body: undefined,
  tooLarge: false,
  address: message.socket.remoteAddress,
  onGone: (act) => onGone(message.socket, act),
})

/** A client that has sent all and closed its side is not there for what would come much later. */
function onGone(socket: Socket, act: () => void): () => void {
  const events = ['end', 'close'] as const
  for (const event of events) socket.once(event, act)
  if (socket.readableEnded || socket.destroyed) act()
  return () => {
    for (const event of events) socket.off(event, act)
  }
}

const partsOf = ({ bytes, tooLarge }: ReceivedBody): Pick<Request, 'body' | 'tooLarge'> => ({
  body: bytes,
  tooLarge,
})
