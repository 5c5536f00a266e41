import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import type { Reply } from '../domain/traffic/message.ts'
import { backlog, FELL_BEHIND } from './backlog.ts'
import { pourSlices } from './slices.ts'
import { setImmediate, setTimeout } from './timers.ts'
import { breakWire, onItsTurn } from './wire.ts'

/** How long one that is cut off may take to read what waits for it, in milliseconds. */
const GRACE = 500

/** Sends a reply. `ending`: when it aborts, streams end. */
export function send(response: ServerResponse, reply: Reply, ending: AbortSignal): void {
  if (reply.onSent) response.once('close', reply.onSent)
  if (reply.wire) {
    breakWire(response, reply, reply.wire)
    return
  }
  if (reply.foreign) response.sendDate = false
  // Node's types want a mutable array; it only reads.
  const headers = reply.headers as string[]
  if (reply.reason === undefined) response.writeHead(reply.status, headers)
  else response.writeHead(reply.status, reply.reason, headers)
  if (reply.slices) pourSlices(response, reply.slices)
  else if (reply.stream) {
    response.flushHeaders()
    // A stream has no end that a client which has said all could be waiting for.
    response.req.socket.once('end', () => response.destroy())
    pour(response, reply.stream, ending)
  } else if (response.shouldKeepAlive || response.req.complete) response.end(reply.body)
  else linger(response, reply.body)
}

/**
 * Ends a response whose request is still being sent. Closing with unread bytes would reset the connection, and the
 * answer with it; so the connection is closed in one direction, and in the other when the body is over.
 */
function linger(response: ServerResponse, body: Reply['body']): void {
  if (body) response.write(body)
  else response.flushHeaders()
  // What waited for its turn is written a little later than it has come.
  onItsTurn(response, (socket) => setImmediate(() => socket.end()))
  response.req.once('close', () => response.end())
}

/** Sends the texts of a stream as they come, behind a head that was sent. */
export function pour(out: Writable, stream: NonNullable<Reply['stream']>, ending: AbortSignal): void {
  let stop = () => {}
  // Nothing more may come once it is ended, and other requests that end now still tell of it.
  const leave = () => {
    stop()
    ending.removeEventListener('abort', onEnding)
  }
  const onEnding = () => {
    leave()
    out.end()
  }
  const cutOff = () => {
    leave()
    out.end(FELL_BEHIND)
    setTimeout(() => out.destroy(), GRACE).unref()
  }
  const count = () => backlog.count(out, cutOff)
  ending.addEventListener('abort', onEnding)
  out.on('drain', count)
  out.on('close', () => {
    leave()
    backlog.forget(out)
  })
  stop = stream((text) => {
    out.write(text)
    count()
  })
}
