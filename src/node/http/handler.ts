import { Socket } from 'node:net'
import {
  brokenOff,
  closedError,
  orAborted,
  readBody,
  receivedHead,
  responseOf,
  withHead,
} from '../../web/fetch.ts'
import { isRead } from '../../world/traffic/message.ts'
import { type MountOptions, mountedRequest } from '../../world/traffic/peer.ts'
import { setImmediate } from '../timers.ts'
import type { HttpDeps } from './responder.ts'
import { WITHOUT_RESPONSE } from './wire.ts'

/** The client of a request, as the host server knows it. */
export interface Peer {
  /** The address of the client; by default that of the socket. */
  readonly address?: string | undefined
  /** The socket of the connection (a `net.Socket`), so that wire faults can break it. */
  readonly socket?: object | undefined
}

type HandlerDeps = Pick<HttpDeps, 'handle' | 'bodyLimit' | 'shutdown'> & MountOptions

/**
 * Answers a Request that a host server received. A wire fault breaks the connection if the host passes its socket.
 * Otherwise `truncate` makes the body fail, and `reset`, `empty` and `garbage` reject like a broken connection in
 * `fetch`.
 */
export async function answerRequest(deps: HandlerDeps, request: Request, peer?: Peer): Promise<Response> {
  if (deps.shutdown.aborted) throw closedError()
  if (typeof request?.url !== 'string' || typeof request.headers?.has !== 'function')
    throw new TypeError('sandbox.handler: it takes a Request of the Fetch API')
  if (request.bodyUsed)
    throw new TypeError(
      'sandbox.handler: the body was read before; pass request.clone(), or the request itself first',
    )
  // The context that Next passes is not a Peer.
  const socket = peer?.socket instanceof Socket ? peer.socket : undefined
  const address = typeof peer?.address === 'string' ? peer.address : socket?.remoteAddress
  const { signal } = request
  signal.throwIfAborted()
  const head = mountedRequest({ ...receivedHead(request, address), uncompressed: true }, deps)
  // In some environments, such as Jest with whatwg-fetch, `body` is undefined.
  const { body: sent = isRead(head) ? null : (await request.blob()).stream() } = request
  const body = sent ? await orAborted(readBody(sent, deps.bodyLimit(head)), signal) : {}
  // The sandbox may have been closed while the body was read.
  if (deps.shutdown.aborted) throw closedError()
  const reply = await orAborted(Promise.resolve(deps.handle({ ...head, ...body })), signal)
  const { wire } = reply
  if (wire === 'truncate') return brokenOff(reply)
  if (!socket || !wire || wire === 'hang') return responseOf(reply, signal, deps.shutdown)
  if (reply.onSent) setImmediate(reply.onSent)
  WITHOUT_RESPONSE[wire](socket)
  // The client has disconnected.
  return withHead(reply, undefined)
}
