import { readFileSync } from 'node:fs'

/** Scalar's mock server, which is a library. Neither package is a dependency of this project. */

interface App {
  readonly fetch: (request: Request) => Promise<Response>
}
interface Scalar {
  createMockServer(options: { document: string; logger: false }): Promise<App>
}
interface Hono {
  serve(options: App & { port: number; hostname: string }): void
}

const { createMockServer } = (await import('@scalar/mock-server' as string)) as Scalar
const { serve } = (await import('@hono/node-server' as string)) as Hono

const [port, contract = ''] = process.argv.slice(2)
const app = await createMockServer({ document: readFileSync(contract, 'utf8'), logger: false })
serve({ fetch: app.fetch, port: Number(port), hostname: '127.0.0.1' })
