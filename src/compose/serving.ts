import type { Settings } from '../config/options.ts'
import { at } from '../config/usage-error.ts'
import type { Certificate } from '../node/files/certificate.ts'
import { createMounts } from '../node/http/middleware.ts'
import { serve } from '../node/http/serve.ts'
import { createFetch } from '../web/fetch.ts'
import type { Worlds } from '../world/worlds.ts'
import type { Apis } from './kernel.ts'
import { onFailure } from './node-platform.ts'
import type { Origin } from './origin.ts'

/** The ways to reach a sandbox: its own server, `fetch` without a socket, and mounts in host servers. */
export type Serving = Awaited<ReturnType<typeof startServing>>

/** The certificate for HTTPS; undefined without one. Throws a UsageError if certificate and key are not a valid pair. */
export async function certificateOf({ tls, listen }: Settings): Promise<Certificate | undefined> {
  if (!tls || !listen) return undefined
  const { readCertificate } = await import('../node/files/certificate.ts')
  return at('--cert and --key', () => readCertificate(tls, Date.now()))
}

/** Rejects with Node's error, such as EADDRINUSE, if it cannot listen. */
export async function startServing(
  settings: Settings,
  { handle, refuse, bodyLimit }: Apis,
  worlds: Worlds,
  origin: Origin,
  shutdown: AbortSignal,
  certificate: Certificate | undefined,
) {
  const deps = { handle, refuse, bodyLimit, breaks: () => worlds.breaksConnections, onFailure }
  const { listen, host, port, control, trustForwarded } = settings
  const mounts = createMounts({ ...deps, shutdown, control, trustForwarded }, origin.mounted)
  const http = listen ? await serve(deps, host, port, certificate) : undefined
  if (http) origin.listening(http.origin)
  return {
    /** Undefined if the sandbox does not listen. */
    http,
    fetch: createFetch(handle, bodyLimit, shutdown),
    mounts,
    closeReusedConnections: async () =>
      void (await Promise.all([http?.closeReusedConnections(), mounts.closeReusedConnections()])),
  }
}
