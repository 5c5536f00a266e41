import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { stringifyJson } from '../../contract/openapi/json.ts'
import { ApiError } from '../../world/api-error.ts'
import { withoutOrigin } from '../../world/traffic/address.ts'
import { fieldValue } from '../../world/traffic/message.ts'
import { type MountOptions, mountedRequest } from '../../world/traffic/peer.ts'
import { hasBody } from './body.ts'
import type { Peer } from './handler.ts'
import { createResponder, type HttpDeps } from './responder.ts'
import { problemOf, requestOf } from './server.ts'

/**
 * Middleware for Connect, Express and Vite: answers requests to the sandbox and passes on all others. Its types do not
 * need those of Node.
 */
export type Middleware = (request: object, response: object, next: (error?: unknown) => void) => void

/** Answers a Request. `peer`: the client as the host server knows it; without it, control calls are refused. */
export type SandboxHandler = (request: KnownRequest, peer?: Peer) => Promise<KnownResponse>

/** The types of the DOM or of Node, if a project has them. */
type KnownRequest = typeof globalThis extends { Request: { prototype: infer Known } } ? Known : object
type KnownResponse = typeof globalThis extends { Response: { prototype: infer Known } } ? Known : object

/**
 * Passes requests from another server to the sandbox. `onOrigin`: called with the origin at which the sandbox is mounted,
 * as each request names it.
 */
export function createMounts(deps: HttpDeps & MountOptions, onOrigin: (origin: string) => void) {
  const handle: HttpDeps['handle'] = (request) => {
    const host = fieldValue(request.headers, 'host')
    if (host !== undefined) onOrigin(`${request.scheme ?? 'http'}://${host}`)
    return deps.handle(request)
  }
  const mounted = { ...deps, handle }
  const handler: SandboxHandler = async (request, peer) => {
    const { answerRequest } = await import('./handler.ts')
    return answerRequest(mounted, request, peer)
  }
  return { ...createMiddleware(mounted), handler }
}

/** Whether a request is to the sandbox. */
export const isOurs = (target: string): boolean => OURS.test(withoutOrigin(target))

const OURS = /^\/(?:(?:v1|_sandbox)(?:[/?]|$)|openapi\.(?:json|yaml)(?:\?|$))/

/** Mounts the sandbox in servers whose requests come as messages of Node. */
function createMiddleware(deps: HttpDeps & MountOptions) {
  const { connections, respond, isClosing } = createResponder(deps)
  const followed = new WeakSet<Server>()
  return {
    middleware: middleware as Middleware,
    /** To be called when a wire fault may act from now on. */
    closeReusedConnections: connections.closeIdle,
  }

  function middleware(message: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) {
    const ours = isOurs(message.url ?? '')
    if (ours && deps.shutdown.aborted) return next(new Error('The sandbox is closed.'))
    if ('stream' in message) {
      if (ours) overHttp2(message, response).catch(next)
      else next()
      return
    }
    if (isClosing(message.socket)) return
    follow(message)
    if (!ours) {
      connections.passedOn(message, response)
      next()
      return
    }
    const request = requestOf(message)
    const wasRead = message.readableEnded && hasBody(message.rawHeaders)
    const parsed = wasRead ? parsedBody(message) : undefined
    const head = mountedRequest(parsed ? { ...request, body: parsed } : request, deps)
    const problem = wasRead && !parsed ? BODY_GONE : problemOf(message)
    respond(message, response, { head, problem, awaitsContinue: false })
  }

  /** Tracks a new connection of this server before its first request. */
  function follow({ socket }: IncomingMessage): void {
    const { server } = socket as { server?: Server }
    if (!server || followed.has(server) || deps.shutdown.aborted) return
    followed.add(server)
    server.on('connection', connections.opened)
    deps.shutdown.addEventListener('abort', () => server.off('connection', connections.opened))
  }

  /** Connect and similar servers pass an HTTP/2 message as an HTTP/1 message. */
  async function overHttp2(message: unknown, response: unknown): Promise<void> {
    const { requestOfHttp2, respondOverHttp2 } = await import('./http2.ts')
    const request = message as Http2ServerRequest
    const head = mountedRequest(requestOfHttp2(request), deps)
    respondOverHttp2(deps, request, response as Http2ServerResponse, head)
  }
}

const BODY_GONE = new ApiError(
  'internal_error',
  'The body was read before the sandbox got the request, and is not in request.body. Put sandbox.middleware before what reads it.',
)

/** The body that an earlier parser, such as `express.json()`, has read; undefined if it kept none. */
function parsedBody(message: IncomingMessage): Uint8Array | undefined {
  if (!('body' in message)) return undefined
  const { body } = message
  if (body instanceof Uint8Array) return body
  return Buffer.from(typeof body === 'string' ? body : stringifyJson(body ?? ''))
}
