import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIPv6, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { rememberLast } from '../../text/remember-last.ts'
import { shorten } from '../../text/shorten.ts'
import { ApiError } from '../../world/api-error.ts'
import { fieldValues, type Request } from '../../world/traffic/message.ts'
import { atEndOfTurn } from '../turns.ts'
import { answerRaw, refusalOf } from './raw-response.ts'
import { createResponder, type HttpDeps } from './responder.ts'

/**
 * node:http without its ESM facade: an `import` of it reads every export, and one of them (`WebSocket`, on Node 22
 * and later) loads all of undici, which takes a quarter of the time to the first response.
 */
const { createServer } = process.getBuiltinModule('node:http')

/** Node's server as a thin adapter around `handle`: complete requests in, replies out. */
export function createHttpServer(deps: HttpDeps) {
  const { handle, refuse, onFailure } = deps
  const { connections, respond, pipelinedOn } = createResponder(deps)
  const server = createServer({ requireHostHeader: false, keepAliveTimeout: 65_000 }, (message, response) =>
    serve(message, response, false),
  )
  // The size of all fields together is limited; with a limit on their number, Node would drop the others silently.
  server.maxHeadersCount = 0
  // Missing in Node's types: a client that has closed its sending side still gets its response.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('connection', (socket) => {
    connections.opened(socket)
    // Node does not report an invalid or incomplete body of a request with Upgrade, which would never be answered.
    socket.once('end', () => {
      if (pipelinedOn(socket).reading?.complete === false)
        endWith([socket, () => refuse(refusalOf(INCOMPLETE))])
    })
  })
  server.on('checkContinue', (message, response) => serve(message, response, true))
  // Served as if there were no Expect header.
  server.on('checkExpectation', (message, response) => serve(message, response, false))
  // Requests that were complete before are answered first, at the end of the turn.
  const ended = new WeakSet<Duplex>()
  const endWith = atEndOfTurn<[Duplex, () => ReturnType<HttpDeps['handle']>]>((lasts) => {
    for (const [socket, last] of lasts) {
      if (ended.has(socket)) continue
      ended.add(socket)
      pipelinedOn(socket).end(
        () => void Promise.resolve(last()).then((reply) => answerRaw(socket as Socket, reply), onFailure),
      )
    }
  })
  server.on('clientError', (error, socket) => endWith([socket, () => refuse(refusalOf(error))]))
  server.on('connect', (message, socket) => {
    // Node no longer listens for errors of this socket, and an error without a listener would end the process.
    socket.on('error', () => {})
    endWith([socket, () => handle(requestOf(message))])
  })
  return { server, closeReusedConnections: connections.closeIdle }

  function serve(message: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void {
    respond(message, response, { head: requestOf(message), problem: problemOf(message), awaitsContinue })
  }
}

const INCOMPLETE = Object.assign(new Error(), { reason: 'the connection ended within the body' })

/** The refusal of an invalid request that Node's parser accepted (RFC 9112, sections 3.2 and 6.1). */
export function problemOf({ httpVersion, rawHeaders }: IncomingMessage): ApiError | undefined {
  const hosts = fieldValues(rawHeaders, 'host')
  const [host] = hosts
  if (hosts.length > 1 || (host === undefined && httpVersion === '1.1'))
    return new ApiError('invalid_request', 'An HTTP/1.1 request needs exactly one Host header.')
  if (host !== undefined && !isHost(host)) {
    const message = `The Host header "${shorten(host)}" is not valid; send <host> or <host>:<port>.`
    return new ApiError('invalid_request', message)
  }
  const codings = fieldValues(rawHeaders, 'transfer-encoding').join(', ')
  if (codings === '' || codings.trim().toLowerCase() === 'chunked') return undefined
  const shown = shorten(codings)
  if (!/(?:^|,)[ \t]*chunked[ \t]*$/i.test(codings))
    return new ApiError('invalid_request', `The Transfer-Encoding "${shown}" does not end in chunked.`)
  return new ApiError('not_implemented', `The Transfer-Encoding "${shown}" is not implemented; send chunked.`)
}

/** `uri-host [ ":" port ]`, with an IP literal in brackets (RFC 9110, section 7.2; RFC 3986, section 3.2.2). */
const HOST = /^(?:\[([^\]]*)\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(?::\d*)?$/
const FUTURE = /^v[0-9a-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+$/i

/** Whether this is a valid value of the Host field; an empty one is valid. Most requests have the same one as the last. */
const isHost = rememberLast((value: string): boolean => {
  const found = HOST.exec(value)
  if (!found) return false
  const [, literal] = found
  return literal === undefined || FUTURE.test(literal) || (isIPv6(literal) && !literal.includes('%'))
})

export function requestOf({ method = 'GET', url = '/', rawHeaders, socket }: IncomingMessage): Request {
  const request: Request = {
    method,
    target: url,
    headers: rawHeaders,
    body: undefined,
    tooLarge: false,
    address: socket.remoteAddress,
    // A client that has closed only its sending side still waits for its response. Many requests may wait on a connection.
    onGone: (act) => {
      socket.setMaxListeners(0).once('close', act)
      if (socket.destroyed) act()
      return () => socket.off('close', act)
    },
  }
  return 'encrypted' in socket && socket.encrypted ? { ...request, scheme: 'https' } : request
}
