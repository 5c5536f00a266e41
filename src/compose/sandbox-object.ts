import { connectControl } from '../client/control.ts'
import { type CompleteSeed, createWorld, type WorldHandle } from '../client/world.ts'
import type { Settings } from '../config/options.ts'
import { VERSION } from '../contract/version.ts'
import type { Middleware, SandboxHandler } from '../node/http/middleware.ts'
import type { SandboxFetch } from '../web/fetch.ts'
import type { Policy } from '../world/policy.ts'
import { BASE_PATH, CONTROL_PATH } from '../world/traffic/address.ts'
import { DEFAULT_NAMESPACE, type Worlds } from '../world/worlds.ts'
import type { Serving } from './serving.ts'

/** A running sandbox. It is also the world `default`. */
export interface Sandbox extends WorldHandle, AsyncDisposable {
  /** Ends in /v1. Without a port nothing listens there; `fetch` takes URLs of every origin. */
  readonly baseUrl: string
  readonly controlUrl: string
  /** 0 if it does not listen. */
  readonly port: number
  readonly info: SandboxInfo
  /** A namespace, which begins with the start fixture. Throws a RangeError for an invalid name. */
  namespace(name: string): WorldHandle
  /** Answers like the server, without a socket. */
  readonly fetch: SandboxFetch
  /** The same for a server that works with Request and Response, such as Hono or a route handler of Next. */
  readonly handler: SandboxHandler
  /** The same for Connect, Express and similar servers. Other requests are passed on. */
  readonly middleware: Middleware
  /** Waits for requests in progress, writes pending changes, and ends. Afterwards `fetch` rejects. */
  close(): Promise<void>
}

/** A notice for users, in a sentence. */
export interface Notice {
  /** `unused-fixture`: not shown to programs that start again and again with the same options. */
  readonly kind: 'unused-fixture' | 'warning'
  readonly text: string
}

export interface SandboxInfo {
  readonly version: string
  /** Null for a sandbox in memory. */
  readonly dataFile: string | null
  /** The number of pets in the namespace `default` at the start. */
  readonly pets: number
  /** The notices of the start, such as that a log was repaired. The command `start` prints them on standard error. */
  readonly notices: readonly Notice[]
  readonly policy: Policy
}

/** Loaded at the first seed. */
const seedFile: CompleteSeed = async (seed, client) => (await import('./seed-file.ts')).withFile(seed, client)

/** The object that `createSandbox` returns. */
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
    baseUrl: `${origin}${BASE_PATH}`,
    controlUrl: `${origin}${CONTROL_PATH}`,
    port: http?.port ?? 0,
    info: {
      version: VERSION,
      dataFile: db ?? null,
      pets: worlds.default.collections.pets.size,
      notices,
      policy,
    },
    namespace: world,
    fetch,
    handler: mounts.handler,
    middleware: mounts.middleware,
    close,
    [Symbol.asyncDispose]: close,
  }
}
