import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError } from '../../world/api-error.ts'
import type { Handle, Reply, Request } from '../../world/traffic/message.ts'
import { atEndOfTurn } from '../turns.ts'
import { collect, declaresMore, drain, hasBody } from './body.ts'
import { trackConnections } from './connections.ts'
import { Pipelined } from './pipelined.ts'
import { send } from './send.ts'

/** The dependencies of a server, and of a mount in a host server. */
export interface HttpDeps {
  readonly handle: Handle
  /** The reply for bytes that are not a valid HTTP request. */
  readonly refuse: (problem: ApiError) => Reply
  /**
   * The largest accepted body in bytes; a larger one is discarded. Undefined if the head decides: then the request is
   * answered without waiting for its body. `head`: the request without its body.
   */
  readonly bodyLimit: (head: Request) => number | undefined
  /** Receives unexpected errors. */
  readonly onFailure: (error: unknown) => void
  /** Aborts when the sandbox shuts down; streams end then. */
  readonly shutdown: AbortSignal
  /** Whether a wire fault may act on the next request. */
  readonly breaks: () => boolean
}

/** A received message: its request, without the body unless that was already read, or the error that makes it invalid. */
interface Received {
  readonly head: Request
  readonly problem: ApiError | undefined
  /** Whether the client waits for 100 Continue before it sends the body. */
  readonly awaitsContinue: boolean
}

/** A message to answer at the end of the turn. */
interface Pending {
  readonly response: ServerResponse
  readonly received: Request | ApiError
  /** Whether the connection is closed after the response. */
  readonly isLast: boolean
}

/** After bodies of this length, the other requests of a turn wait for the next one, so that these are sent before. */
const MOST_MADE = 16 * 1024 * 1024

/** Answers the messages of Node's server, in order within each connection. */
export function createResponder({ handle, refuse, bodyLimit, onFailure, shutdown, breaks }: HttpDeps) {
  const connections = trackConnections(breaks)
  const pipelined = new WeakMap<Duplex, Pipelined>()
  const closing = new WeakSet<Duplex>()
  /** Whether no further request is answered on a connection. Its client may not have noticed the end yet. */
  const isClosing = (socket: Duplex): boolean => closing.has(socket) || socket.writableEnded
  const answerLater = atEndOfTurn<Pending>((pending) => {
    const replies: (Reply | undefined)[] = []
    let made = 0
    for (const each of pending) {
      if (made > MOST_MADE) break
      const reply = start(each)
      replies.push(reply)
      made += reply?.body?.length ?? 0
    }
    for (const [i, { response }] of pending.entries()) if (replies[i]) deliver(response, replies[i])
    for (const each of pending.slice(replies.length)) answerLater(each)
  })
  return { connections, respond, isClosing, pipelinedOn }

  function pipelinedOn(socket: Duplex): Pipelined {
    const known = pipelined.get(socket)
    if (known) return known
    const made = new Pipelined(socket)
    pipelined.set(socket, made)
    return made
  }

  /** Answers a message, unless its connection is closing, or its client has to repeat it on a new connection. */
  function respond(message: IncomingMessage, response: ServerResponse, received: Received): void {
    // Requests after the last one that is answered are not executed (RFC 9112, section 9.6).
    const { socket } = message
    if (isClosing(socket) || connections.refuses(message)) return
    connections.received(message, response)
    pipelinedOn(socket).add(() => isClosing(socket) || readBody(message, response, received))
  }

  function readBody(message: IncomingMessage, response: ServerResponse, received: Received): void {
    const { head, problem, awaitsContinue } = received
    if (head.body !== undefined || !hasBody(message.rawHeaders)) {
      // Node closes the connection if it sent no 100 Continue.
      answer(response, problem ?? head, awaitsContinue)
      return
    }
    const limit = problem ? undefined : bodyLimit(head)
    if (limit !== undefined && !(awaitsContinue && declaresMore(message, limit))) {
      if (awaitsContinue) response.writeContinue()
      pipelinedOn(message.socket).reading = message
      collect(message, limit, ({ body, tooLarge }) => answer(response, { ...head, body, tooLarge }))
      return
    }
    drain(message)
    // Without 100 Continue the client may omit its body; the next request would be read as the body.
    answer(response, problem ?? { ...head, tooLarge: true }, awaitsContinue)
  }

  function answer(response: ServerResponse, received: Pending['received'], isLast = false): void {
    pipelinedOn(response.req.socket).last = response
    answerLater({ response, received, isLast })
  }

  /** Returns the reply if it is ready at once. */
  function start({ response, received, isLast }: Pending): Reply | undefined {
    // Requests after the last one that is answered are not executed (RFC 9112, section 9.6).
    if (isClosing(response.req.socket)) return undefined
    if (isLast) closeAfter(response)
    const reply = received instanceof ApiError ? refuse(received) : handle(received)
    if (reply instanceof Promise) {
      reply.then(
        (ready) => deliver(response, ready),
        (error) => fail(response, error),
      )
      return undefined
    }
    if (reply.close) closeAfter(response)
    return reply
  }

  function closeAfter(response: ServerResponse): void {
    response.shouldKeepAlive = false
    closing.add(response.req.socket)
  }

  /** A reply that cannot be sent closes its own connection only. */
  function deliver(response: ServerResponse, reply: Reply): void {
    if (connections.closesAfter(response.req) || reply.close || !response.shouldKeepAlive)
      closeAfter(response)
    try {
      send(response, reply, shutdown, onFailure)
    } catch (error) {
      fail(response, error)
    }
  }

  function fail(response: ServerResponse, error: unknown): void {
    onFailure(error)
    response.destroy()
  }
}
