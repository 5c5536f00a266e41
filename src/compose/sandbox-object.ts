import { connectControl } from '../client/control.ts'
import { type CompleteSeed, createWorld, type WorldHandle } from '../client/world.ts'
import type { Settings } from '../config/options.ts'
import { version } from '../node/files/package.ts'
import type { Middleware } from '../node/http/middleware.ts'
import type { SandboxHandler } from '../node/http/mounts.ts'
import type { SandboxFetch } from '../web/fetch.ts'
import type { Policy } from '../world/policy.ts'
import { DEFAULT_NAMESPACE, type Worlds } from '../world/worlds.ts'
import type { Notice } from './notices.ts'
import type { Serving } from './serving.ts'

/** A running sandbox; it is itself the world `default`. */
export interface Sandbox extends WorldHandle, AsyncDisposable {
  /** Ends in /v1. */
  readonly baseUrl: string
  readonly controlUrl: string
  /** 0 where it does not listen. */
  readonly port: number
  readonly info: SandboxInfo
  /** A world of its own; it starts with the start fixture. Throws a RangeError for a name that is not valid. */
  namespace(name: string): WorldHandle
  /** The same replies without a socket. */
  readonly fetch: SandboxFetch
  /** The same for a server that works with Requests, such as a route handler of Next, or Hono. */
  readonly handler: SandboxHandler
  /** The same for Connect, Express and similar servers: other requests are passed on. */
  readonly middleware: Middleware
  /** Waits for requests in progress, writes pending changes, and releases everything; `fetch` rejects from then on. */
  close(): Promise<void>
}

export interface SandboxInfo {
  readonly version: string
  /** Null in memory. */
  readonly dataFile: string | null
  /** The number of pets in the namespace `default` at the start. */
  readonly pets: number
  /** Notices at start. */
  readonly notices: readonly Notice[]
  readonly policy: Policy
}

/** Loaded by the first seed. */
const seedFile: CompleteSeed = async (seed, client) => (await import('./seed-file.ts')).withFile(seed, client)

/** The object that users of the module get. */
export function createSandboxObject(
  settings: Settings,
  worlds: Worlds,
  { http, fetch, mounts }: Serving,
  origin: string,
  notices: readonly Notice[],
  close: () => Promise<void>,
): Sandbox {
  const { controlToken: token, db, policy } = settings
  const world = (namespace: string) =>
    createWorld(connectControl({ url: 'http://localhost', namespace, token, fetch }), seedFile)
  return {
    ...world(DEFAULT_NAMESPACE),
    baseUrl: `${origin}/v1`,
    controlUrl: `${origin}/_sandbox`,
    port: http?.port ?? 0,
    info: { version, dataFile: db ?? null, pets: worlds.default.collections.pets.size, notices, policy },
    namespace: world,
    fetch,
    handler: mounts.handler,
    middleware: mounts.middleware,
    close,
    [Symbol.asyncDispose]: close,
  }
}
