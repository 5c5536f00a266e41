import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createSandbox } from 'petstore-sandbox'

const { handler } = await createSandbox({ listen: false })
const answer = (c) => handler(c.req.raw, { socket: c.env.incoming.socket })
const app = new Hono()
app.all('/v1/*', answer)
app.all('/_sandbox/*', answer)
app.get('/openapi.json', answer)
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  console.log(`ready on http://localhost:${port}`),
)
