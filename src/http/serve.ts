import { type Listening, listen } from './listen.ts'
import { createHttpServer, type HttpDeps } from './server.ts'
import { createShutdownController } from './shutdown.ts'

/** A sandbox on the network. */
export interface Served extends Listening {
  /** `http://localhost:4010` */
  readonly origin: string
  /** To be called when a wire fault may act from now on: no connection is left on which nobody would notice it. */
  readonly freshen: () => Promise<void>
}

/** Serves on a host and port; 0 = any free port. Rejects with Node's error, such as EADDRINUSE. */
export async function serve(deps: Omit<HttpDeps, 'ending'>, host: string, port: number): Promise<Served> {
  const ending = createShutdownController()
  const { server, freshen } = createHttpServer({ ...deps, ending: ending.signal })
  const listening = await listen(server, host, port)
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  const close = (graceMs: number) => {
    ending.abort()
    return listening.close(graceMs)
  }
  return { ...listening, close, freshen, origin: `http://${shown}:${listening.port}` }
}
