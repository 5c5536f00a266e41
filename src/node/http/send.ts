import type { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type Duplex, pipeline, Readable, type Writable } from 'node:stream'
import { createBacklog, FELL_BEHIND, MAX_BACKLOG } from '../../web/backlog.ts'
import type { Reply } from '../../world/traffic/message.ts'
import { setImmediate, setTimeout } from '../timers.ts'
import { BREAKS, onItsTurn } from './wire.ts'

/** The time that a stream that is cut off has to deliver its buffered data, in milliseconds. */
const GRACE = 500

/** Receives an error that ends an answer. */
type Failed = (error: unknown) => void

/** Sends a reply. `shutdown`: when it aborts, streams end. `onFailure`: receives an error in the making of slices. */
export function send(response: ServerResponse, reply: Reply, shutdown: AbortSignal, onFailure: Failed): void {
  if (reply.onSent) response.once('close', reply.onSent)
  const { wire } = reply
  if (wire) {
    onItsTurn(response, (socket) => BREAKS[wire](socket, response, reply, shutdown))
    return
  }
  if (reply.foreign) response.sendDate = false
  // Node's types need a mutable array, which Node only reads.
  const headers = reply.headers as string[]
  if (reply.reason === undefined) response.writeHead(reply.status, headers)
  else response.writeHead(reply.status, reply.reason, headers)
  if (reply.slices) pourSlices(response, reply.slices, onFailure)
  else if (reply.stream) {
    response.flushHeaders()
    // A stream has no end, so a client that has closed its side is not waiting for one.
    response.req.socket.once('end', () => response.destroy())
    pour(response, reply.stream, shutdown)
  } else {
    countUnsent(response.req.socket, response, reply.body)
    if (response.shouldKeepAlive || response.req.complete) response.end(reply.body)
    else linger(response, reply.body)
  }
}

/** The limit of long bodies that were not sent yet, of all responses together, in bytes. */
const MAX_UNSENT = 256 * 1024 * 1024
const MIN_COUNTED = 64 * 1024
const unsent = createBacklog<Duplex>(MAX_UNSENT)
const counted = new WeakSet<Duplex>()

/**
 * Counts a long body until its response is sent: a client may ask for many and read none. Beyond the limit, the connection
 * or the stream of HTTP/2 for which the most waits is closed. Short ones are not counted, since a connection has few.
 */
export function countUnsent(out: Duplex, response: EventEmitter, body: Reply['body']): void {
  if (!body || body.length < MIN_COUNTED || out.destroyed) return
  if (!counted.has(out)) out.once('close', () => unsent.forget(out))
  counted.add(out)
  unsent.add(out, body.length, () => out.destroy())
  response.once('close', () => unsent.add(out, -body.length))
}

/**
 * Ends a response whose request is still being sent. Closing with unread bytes would reset the connection and lose
 * the response. So first the sending side is closed, and the receiving side when the body has ended.
 */
function linger(response: ServerResponse, body: Reply['body']): void {
  if (body) response.write(body)
  else response.flushHeaders()
  // Queued responses are written a little later.
  onItsTurn(response, (socket) => setImmediate(() => socket.end()))
  response.req.once('close', () => response.end())
}

/** The texts that wait for slow readers. */
const backlog = createBacklog<Writable>(MAX_BACKLOG)

/** Sends the texts of a stream as they arrive; the head is already sent. */
export function pour(out: Writable, stream: NonNullable<Reply['stream']>, shutdown: AbortSignal): void {
  let stop = () => {}
  // Writing after the end is an error, and requests that finish now still cause events.
  const leave = () => {
    stop()
    shutdown.removeEventListener('abort', onShutdown)
  }
  const onShutdown = () => {
    leave()
    out.end()
  }
  const cutOff = () => {
    leave()
    out.end(FELL_BEHIND)
    setTimeout(() => out.destroy(), GRACE).unref()
  }
  const count = () => backlog.count(out, out.writableLength, cutOff)
  shutdown.addEventListener('abort', onShutdown)
  out.on('drain', count)
  out.on('close', () => {
    leave()
    backlog.forget(out)
  })
  stop = stream((text) => {
    out.write(text)
    count()
  })
  // A reply may come after the shutdown has begun.
  if (shutdown.aborted) onShutdown()
}

/** Sends a text in slices, as fast as the client reads. A client that disconnects ends it; that is no failure. */
export function pourSlices(response: Writable, slices: AsyncIterable<string>, onFailure: Failed): void {
  async function* reported() {
    try {
      yield* slices
    } catch (error) {
      if (!response.destroyed) onFailure(error)
      throw error
    }
  }
  // The response has already started, so on an error it can only be aborted, as pipeline does.
  pipeline(Readable.from(reported(), { highWaterMark: 1 }), response, () => {})
}
