import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { fieldValues, type Handle, type Reply, type Request } from '../domain/message.ts'
import { Problem } from '../domain/problem.ts'
import { type Body, collect, hasBody } from './body.ts'
import { atEndOfTurn } from './end-of-turn.ts'
import { createServer } from './node-http.ts'
import { answerRaw, refusalOf } from './raw.ts'
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
  const server = createServer({ requireHostHeader: false, keepAliveTimeout: 65_000 }, serve)
  // The bound is the 16 KiB of all fields; beyond a number of them Node would drop the rest in silence.
  server.maxHeadersCount = 0
  // Served as if the expectation were absent; Node itself sends 100 Continue.
  server.on('checkExpectation', serve)
  server.on('clientError', (error, socket) => answerRaw(socket as Socket, refuse(refusalOf(error))))
  server.on('connect', (message, socket) => {
    const reply = handle(requestOf(message, undefined))
    Promise.resolve(reply).then((ready) => answerRaw(socket as Socket, ready), onFailure)
  })
  const sendLater = atEndOfTurn(({ response, reply }: Answered) => {
    try {
      send(response, reply, ending)
    } catch (error) {
      onFailure(error)
      response.destroy()
    }
  })
  return server

  function serve(message: IncomingMessage, response: ServerResponse): void {
    if (!namesHost(message)) send(response, refuse(new Problem('invalid_request', NO_HOST)), ending)
    else if (hasBody(message.rawHeaders))
      collect(message, bodyLimit(message.url ?? '/'), (body) => answer(message, response, body))
    else answer(message, response, undefined)
  }

  function answer(message: IncomingMessage, response: ServerResponse, body: Body | undefined): void {
    const reply = handle(requestOf(message, body))
    if (reply instanceof Promise) reply.then((ready) => send(response, ready, ending)).catch(onFailure)
    else sendLater({ response, reply })
  }
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
  if (reply.stream) pour(response, reply.stream, ending)
  else response.end(reply.body)
}

function pour(response: ServerResponse, stream: NonNullable<Reply['stream']>, ending: AbortSignal): void {
  response.flushHeaders()
  const stop = stream((text) => response.write(text))
  const end = () => response.end()
  ending.addEventListener('abort', end)
  response.on('close', () => {
    stop()
    ending.removeEventListener('abort', end)
  })
}
