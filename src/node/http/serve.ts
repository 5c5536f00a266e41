import { setMaxListeners } from 'node:events'
import type { Certificate } from '../files/certificate.ts'
import { type Listening, listen } from './listen.ts'
import { createHttpServer, type HttpDeps } from './server.ts'

/** A sandbox on the network. */
export interface Served extends Listening {
  /** `http://localhost:4010` */
  readonly origin: string
  /** Call this when a wire fault may act from now on: closes the connections on which a browser would hide it. */
  readonly freshen: () => Promise<void>
}

/** Serves on a host and port; 0 = any free port. With a certificate, HTTPS. Rejects with Node's error, such as EADDRINUSE. */
export async function serve(
  deps: Omit<HttpDeps, 'shutdown' | 'scheme'>,
  host: string,
  port: number,
  certificate?: Certificate,
): Promise<Served> {
  const shutdown = createShutdownController()
  const all = { ...deps, shutdown: shutdown.signal, ...(certificate && { scheme: 'https' as const }) }
  const { server: http, freshen } = createHttpServer(all)
  const { server, connections } = certificate
    ? (await import('./tls.ts')).behindTls(http, all, certificate)
    : { server: http, connections: http }
  const listening = await listen(server, host, port, connections)
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  const close = (graceMs: number) => {
    shutdown.abort()
    return listening.close(graceMs)
  }
  return { ...listening, close, freshen, origin: `${all.scheme ?? 'http'}://${shown}:${listening.port}` }
}

/** Aborts at shutdown. Any number of streams and delayed responses may listen to it. */
export function createShutdownController(): AbortController {
  const ending = new AbortController()
  setMaxListeners(0, ending.signal)
  return ending
}
