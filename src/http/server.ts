import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { fieldValues, type Handle, type Reply, type Request } from '../domain/message.ts'
import { Problem } from '../domain/problem.ts'
import { type Body, collect, hasBody } from './body.ts'
import { atEndOfTurn } from './end-of-turn.ts'
import { createServer } from './node-http.ts'
import { answerRaw, refusalOf } from './raw.ts'
import { pourSlices } from './slices.ts'
import { breakWire } from './wire.ts'

export interface HttpDeps {
  readonly handle: Handle
  /** The response to what never became a request. */
  readonly refuse: (problem: Problem) => Reply
  /** The largest body that is kept for a target, in bytes; what lies beyond is read and thrown away. */
  readonly bodyLimit: (target: string) => number
  /** What nobody meant to happen. */
  readonly onFailure: (error: unknown) => void
  /** When it aborts, streams end: everything does. */
  readonly ending: AbortSignal
}

/** Node's server as a thin adapter around `handle`: complete requests in, replies out. */
export function createHttpServer({ handle, refuse, bodyLimit, onFailure, ending }: HttpDeps): Server {
  /** The answer that a connection got last, or is about to get. */
  const lastOf = new WeakMap<Duplex, ServerResponse>()
  const server = createServer({ requireHostHeader: false, keepAliveTimeout: 65_000 }, serve)
  // The bound is the 16 KiB of all fields; beyond a number of them Node would drop the rest in silence.
  server.maxHeadersCount = 0
  // Served as if the expectation were absent; Node itself sends 100 Continue.
  server.on('checkExpectation', serve)
  // By the end of the turn, whatever came whole before the error is at work; it is answered first.
  const refuseLater = atEndOfTurn(({ error, socket }: Broken) => {
    const refuseIt = () => answerRaw(socket as Socket, refuse(refusalOf(error)))
    const before = lastOf.get(socket)
    if (before && !before.writableFinished && !before.destroyed) before.once('close', refuseIt)
    else refuseIt()
  })
  server.on('clientError', (error, socket) => refuseLater({ error, socket }))
  server.on('connect', (message, socket) => {
    const reply = handle(requestOf(message, undefined))
    Promise.resolve(reply).then((ready) => answerRaw(socket as Socket, ready), onFailure)
  })
  const deliverLater = atEndOfTurn(({ response, reply }: Answered) => deliver(response, reply))
  return server

  function serve(message: IncomingMessage, response: ServerResponse): void {
    if (!namesHost(message)) deliver(response, refuse(new Problem('invalid_request', NO_HOST)))
    else if (hasBody(message.rawHeaders))
      collect(message, bodyLimit(message.url ?? '/'), (body) => answer(message, response, body))
    else answer(message, response, undefined)
  }

  function answer(message: IncomingMessage, response: ServerResponse, body: Body | undefined): void {
    lastOf.set(message.socket, response)
    const reply = handle(requestOf(message, body))
    if (reply instanceof Promise) reply.then((ready) => deliver(response, ready), onFailure)
    else deliverLater({ response, reply })
  }

  /** What cannot be sent ends its own connection, and no other. */
  function deliver(response: ServerResponse, reply: Reply): void {
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

const NO_HOST = 'An HTTP/1.1 request needs exactly one Host header.'

const namesHost = ({ httpVersion, rawHeaders }: IncomingMessage): boolean =>
  httpVersion !== '1.1' || fieldValues(rawHeaders, 'host').length === 1

const requestOf = (message: IncomingMessage, body: Body | undefined): Request => ({
  method: message.method ?? 'GET',
  target: message.url ?? '/',
  headers: message.rawHeaders,
  body: body?.bytes,
  tooLarge: body?.tooLarge === true,
  address: message.socket.remoteAddress,
})

function send(response: ServerResponse, reply: Reply, ending: AbortSignal): void {
  if (reply.wire) {
    breakWire(response, reply, reply.wire)
    return
  }
  if (reply.close) response.shouldKeepAlive = false
  if (reply.foreign) response.sendDate = false
  // Node's types want a mutable array; it only reads.
  const headers = reply.headers as string[]
  if (reply.reason === undefined) response.writeHead(reply.status, headers)
  else response.writeHead(reply.status, reply.reason, headers)
  if (reply.slices) pourSlices(response, reply.slices)
  else if (reply.stream) pour(response, reply.stream, ending)
  else response.end(reply.body)
}

/** What may wait for a reader of a stream that does not keep up, in bytes; then it is cut off. */
const BACKLOG = 16 * 1024 * 1024

function pour(response: ServerResponse, stream: NonNullable<Reply['stream']>, ending: AbortSignal): void {
  response.flushHeaders()
  const stop = stream((text) => {
    response.write(text)
    if (response.writableLength > BACKLOG) leave(() => response.destroy())
  })
  // Nothing more may come once it is ended, and other requests that end now still tell of it.
  const leave = (end: () => void) => {
    stop()
    ending.removeEventListener('abort', onEnding)
    end()
  }
  const onEnding = () => leave(() => response.end())
  ending.addEventListener('abort', onEnding)
  response.on('close', () => leave(() => {}))
}
