import { type Listening, listen } from './listen.ts'
import { createHttpServer, type HttpDeps } from './server.ts'

/** A sandbox on the network. */
export interface Served extends Listening {
  /** `http://localhost:4010` */
  readonly origin: string
}

/** Serves on a host and port; 0 = any free port. Rejects with Node's error, such as EADDRINUSE. */
export async function serve(deps: HttpDeps, host: string, port: number): Promise<Served> {
  const listening = await listen(createHttpServer(deps), host, port)
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return { ...listening, origin: `http://${shown}:${listening.port}` }
}
