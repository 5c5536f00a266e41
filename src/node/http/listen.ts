import { type AddressInfo, createServer, type Server as NetServer } from 'node:net'
import { errorCode } from '../../text/error.ts'
import { clearTimeout, setTimeout } from '../timers.ts'

/**
 * How many connections may wait to be accepted, if the system allows it. With Node's default of 511 and a thousand
 * clients that connect at once, the system drops their first packets, which costs a second.
 */
const BACKLOG = 4096

/** The connections of a server. */
export interface Connections {
  closeIdleConnections(): void
  closeAllConnections(): void
}

/** A listening server. `localhost` has two addresses, and so it has two sockets. */
export interface Listening {
  readonly port: number
  /** Accepts no more connections; open ones may finish within `graceMs`, then they are destroyed. */
  close(graceMs: number): Promise<void>
}

/** Listens on a host; `port` 0 = any free one. Rejects with Node's error, such as EADDRINUSE. */
export async function listen(
  server: NetServer,
  host: string,
  port: number,
  connections: Connections,
): Promise<Listening> {
  if (host !== 'localhost') {
    await bind(server, host, port)
    return listening([server], connections)
  }
  await bind(server, '127.0.0.1', port)
  const { port: bound } = server.address() as AddressInfo
  const sixth = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    server.emit('connection', socket),
  )
  try {
    await bind(sixth, '::1', bound)
    return listening([server, sixth], connections)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return listening([server], connections)
    await closed(server)
    if (port === 0) return listen(server, host, port, connections)
    throw error
  }
}

function listening(servers: readonly [NetServer, ...NetServer[]], connections: Connections): Listening {
  return {
    port: (servers[0].address() as AddressInfo).port,
    async close(graceMs) {
      const ended = Promise.all(servers.map(closed))
      connections.closeIdleConnections()
      const broken = setTimeout(() => connections.closeAllConnections(), graceMs)
      await ended
      clearTimeout(broken)
    },
  }
}

const bind = (server: NetServer, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off('error', reject)
      resolve()
    })
  })

const closed = (server: NetServer): Promise<void> => new Promise((resolve) => server.close(() => resolve()))
