import { fieldValue } from '../../world/traffic/message.ts'
import type { MountOptions } from '../../world/traffic/peer.ts'
import type { Peer } from './handler.ts'
import { createMiddleware, type Middleware } from './middleware.ts'
import type { HttpDeps } from './server.ts'

/** Answers a Request. `peer`: the client as the host server knows it; without it, control calls are refused. */
export type SandboxHandler = (request: KnownRequest, peer?: Peer) => Promise<KnownResponse>

/** The types of the DOM or of Node, if a project has them. */
type KnownRequest = typeof globalThis extends { Request: { prototype: infer Known } } ? Known : object
type KnownResponse = typeof globalThis extends { Response: { prototype: infer Known } } ? Known : object

/** Passes requests from another server to the sandbox. */
export interface Mounts {
  readonly handler: SandboxHandler
  readonly middleware: Middleware
  /** To be called when a wire fault may act from now on. */
  readonly freshen: () => Promise<void>
}

/** `onOrigin`: called with the origin at which the sandbox is mounted, at its first request. */
export function createMounts(deps: HttpDeps & MountOptions, onOrigin: (origin: string) => void): Mounts {
  let isKnown = false
  const handle: HttpDeps['handle'] = (request) => {
    const host = fieldValue(request.headers, 'host')
    if (!isKnown && host !== undefined) {
      isKnown = true
      onOrigin(`${request.scheme ?? 'http'}://${host}`)
    }
    return deps.handle(request)
  }
  const mounted = { ...deps, handle }
  return {
    ...createMiddleware(mounted),
    async handler(request, peer) {
      const { answerRequest } = await import('./handler.ts')
      return answerRequest(mounted, request, peer)
    },
  }
}
