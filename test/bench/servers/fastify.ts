import { created, list, ones, type Ready } from './answers.ts'

/** Fastify as in its documentation, with the responses of the bare server. */

interface Reply {
  code(status: number): Reply
  headers(headers: Ready['headers']): Reply
  send(body: string): Reply
}
interface Request {
  readonly params: { readonly id: string }
  readonly body: Parameters<typeof created>[0]
}
type Handler = (request: Request, reply: Reply) => Reply
interface Fastify {
  get(path: string, handler: Handler): void
  post(path: string, handler: Handler): void
  listen(where: { port: number; host: string }): Promise<string>
}

// Its types are missing, since it is not a dependency of this project.
const { fastify } = (await import('fastify' as string)) as { fastify: () => Fastify }

const page = list()
const single = ones()
const app = fastify()
app.get('/v1/pets', (_, reply) => reply.headers(page.headers).send(page.body))
app.get('/v1/pets/:id', ({ params }, reply) => {
  const { headers, body } = single.get(params.id) ?? page
  return reply.headers(headers).send(body)
})
app.post('/v1/pets', (request, reply) => {
  const { headers, body } = created(request.body)
  return reply.code(201).headers(headers).send(body)
})
await app.listen({ port: Number(process.argv[2]), host: '127.0.0.1' })
