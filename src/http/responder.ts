import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiError } from '../domain/api-error.ts'
import type { Handle, Reply, Request } from '../domain/traffic/message.ts'
import { collect, declaresMore, drain, hasBody, type ReceivedBody } from './body.ts'
import type { Browsers } from './browsers.ts'
import { atEndOfTurn } from './end-of-turn.ts'
import { send } from './send.ts'

export interface ResponderDeps {
  readonly handle: Handle
  /** The response to what never became a request. */
  readonly refuse: (problem: ApiError) => Reply
  /**
   * The largest body of a request that is kept, in bytes; what lies beyond is read and thrown away. Undefined where
   * its head decides: it is answered without waiting for a body. `head`: the request without its body.
   */
  readonly bodyLimit: (head: Request) => number | undefined
  /** What nobody meant to happen. */
  readonly onFailure: (error: unknown) => void
  /** When it aborts, streams end: everything does. */
  readonly ending: AbortSignal
  readonly browsers: Browsers
}

/** A message as it came in: its request, without the body unless somebody has read it already, or what makes it none. */
export interface Received {
  readonly head: Request
  readonly problem: ApiError | undefined
  /** Whether its sender waits for 100 Continue before it sends the body. */
  readonly asks: boolean
}

/** Answers the messages of Node's server, each connection in its order. */
export interface Responder {
  respond(message: IncomingMessage, response: ServerResponse, received: Received): void
  /** Whether no more is answered on a connection. */
  isClosing(socket: Duplex): boolean
  /** The answer that a connection got last, or is about to get. */
  lastOn(socket: Duplex): ServerResponse | undefined
}

export function createResponder(deps: ResponderDeps): Responder {
  const { handle, refuse, bodyLimit, onFailure, ending, browsers } = deps
  const lastOf = new WeakMap<Duplex, ServerResponse>()
  const closing = new WeakSet<Duplex>()
  const deliverLater = atEndOfTurn(({ response, reply }: Answered) => deliver(response, reply))
  return { respond, isClosing: (socket) => closing.has(socket), lastOn: (socket) => lastOf.get(socket) }

  function respond(
    message: IncomingMessage,
    response: ServerResponse,
    { head, problem, asks }: Received,
  ): void {
    if (head.body !== undefined || !hasBody(message.rawHeaders)) {
      // Node closes after the answer to one that it did not tell to go on.
      if (asks) isLast(response)
      if (problem) deliver(response, refuse(problem))
      else answer(response, head)
      return
    }
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

interface Answered {
  readonly response: ServerResponse
  readonly reply: Reply
}

export const partsOf = ({ bytes, tooLarge }: ReceivedBody): Pick<Request, 'body' | 'tooLarge'> => ({
  body: bytes,
  tooLarge,
})
