import { once, setMaxListeners } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { errorCode } from '../../text/error.ts'
import { urlHost } from '../../world/traffic/peer.ts'
import type { Certificate } from '../files/certificate.ts'
import { clearTimeout, setTimeout } from '../timers.ts'
import type { HttpDeps } from './responder.ts'
import { createHttpServer } from './server.ts'

/**
 * The limit of connections that wait to be accepted, if the system allows it. With Node's default of 511 and a thousand
 * clients that connect at the same time, the system drops their first packets, which costs a second.
 */
const BACKLOG = 4096

export type Served = Awaited<ReturnType<typeof serve>>

/** Serves on a host and port; 0 = any free port. With a certificate, HTTPS. Rejects with Node's error, such as EADDRINUSE. */
export async function serve(
  deps: Omit<HttpDeps, 'shutdown'>,
  host: string,
  port: number,
  certificate?: Certificate,
) {
  const shutdown = createShutdownController()
  const all = { ...deps, shutdown: shutdown.signal }
  const { server: http, closeReusedConnections } = createHttpServer(all)
  const { server, connections } = certificate
    ? (await import('./tls.ts')).behindTls(http, all, certificate)
    : { server: http, connections: http }
  const servers = await listen(server, host, port)
  const bound = portOf(server)
  return {
    port: bound,
    /** `http://localhost:4010` */
    origin: `http${certificate ? 's' : ''}://${urlHost(host)}:${bound}`,
    /** Call this when a wire fault may act from now on: closes the connections on which a browser would hide it. */
    closeReusedConnections,
    /** Accepts no more connections; open ones may finish within `graceMs`, then they are destroyed. */
    async close(graceMs: number): Promise<void> {
      shutdown.abort()
      const ended = Promise.all(servers.map(closed))
      connections.closeIdleConnections()
      const broken = setTimeout(() => connections.closeAllConnections(), graceMs)
      await ended
      clearTimeout(broken)
    },
  }
}

/** Aborts at shutdown. Any number of streams and delayed responses may listen to it. */
export function createShutdownController(): AbortController {
  const ending = new AbortController()
  try {
    setMaxListeners(0, ending.signal)
  } catch {
    // A test environment such as happy-dom replaces AbortController; its signals have no limit of listeners.
  }
  return ending
}

/** The servers that listen: two for `localhost`, which has two addresses. `port` 0 = any free port. */
async function listen(server: Server, host: string, port: number): Promise<Server[]> {
  await bind(server, host === 'localhost' ? '127.0.0.1' : host, port)
  if (host !== 'localhost') return [server]
  const sixth = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    server.emit('connection', socket),
  )
  try {
    await bind(sixth, '::1', portOf(server))
    return [server, sixth]
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return [server]
    await closed(server)
    if (port === 0) return listen(server, host, port)
    throw error
  }
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port

async function bind(server: Server, host: string, port: number): Promise<void> {
  server.listen({ port, host, backlog: BACKLOG })
  try {
    await once(server, 'listening')
  } catch (error) {
    if (errorCode(error) === 'EADDRINUSE') Object(error).message += '; port 0 takes any free port'
    // That of Node names no line of the caller.
    Error.captureStackTrace(Object(error))
    throw error
  }
}

const closed = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()))
