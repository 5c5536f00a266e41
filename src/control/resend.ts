import { ApiError } from '../domain/api-error.ts'
import type { Exchange } from '../domain/traffic/exchange.ts'
import { entryOf } from '../domain/traffic/journal-entry.ts'
import { fieldValue, type Request } from '../domain/traffic/message.ts'
import type { ControlContext, Schemas } from './context.ts'
import type { OperationContext, PreparedHandler, ReplyOf } from './operation.ts'
import { jsonReply, notFound } from './reply.ts'

type Edits = NonNullable<Schemas['ResendRequest']['edits']>

/** Sends a request of the journal once more, with the key that it came with. */
export const resendRequest: PreparedHandler<'resendRequest'> = {
  async prepare(context) {
    await context.deps.prepareSend()
    return { apply: resend }
  },
}

async function resend(context: OperationContext<'resendRequest'>): Promise<ReplyOf<'resendRequest'>> {
  const { id, request } = wanted(context)
  const made = await recorded(context, request)
  if (!made) throw new Error(`${id} was sent again and not recorded`)
  return jsonReply(200, entryOf(made))
}

function wanted(context: OperationContext<'resendRequest'>): {
  readonly id: string
  readonly request: Request
} {
  const { params, body } = context
  const world = context.world()
  const exchange = world.journal.entries().findLast(({ id }) => id === params.id)
  if (!exchange)
    throw notFound(`There is no request ${params.id.slice(0, 100)} in the journal of ${world.name}.`)
  const edits = body?.edits ?? {}
  if (exchange.request.truncated && edits.body === undefined) {
    const message = `The body of ${exchange.id} was cut at 16 KiB when it was recorded. Send a whole one in edits.body.`
    throw new ApiError('conflict', message)
  }
  return { id: exchange.id, request: requestOf(exchange, edits) }
}

/** Sends it, and returns what was recorded of it. */
async function recorded({ deps }: ControlContext, request: Request): Promise<Exchange | undefined> {
  const seen: Exchange[] = []
  const subscriber = (exchange: Exchange) => seen.push(exchange)
  deps.subscribers.add(subscriber)
  try {
    const { headers } = await deps.send(request)
    const id = fieldValue(headers, 'x-request-id')
    return seen.findLast((exchange) => exchange.id === id && exchange.path === pathOf(request))
  } finally {
    deps.subscribers.delete(subscriber)
  }
}

const pathOf = ({ target }: Request): string => target.split('?')[0] ?? ''

/** Header fields of the connection: a request that is sent again has none. */
const FRAMING = ['content-length', 'transfer-encoding', 'connection', 'expect']

function requestOf({ method, path, query, request }: Exchange, edits: Edits): Request {
  const search = edits.query ?? query
  const text = edits.body ?? request.body
  const set = new Map(Object.entries(edits.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]))
  const headers: string[] = []
  for (let i = 0; i < request.headers.length; i += 2) {
    const name = request.headers[i] as string
    if (!FRAMING.includes(name.toLowerCase()) && !set.has(name.toLowerCase()))
      headers.push(name, request.headers[i + 1] as string)
  }
  for (const [name, value] of set) if (value !== null && !FRAMING.includes(name)) headers.push(name, value)
  return {
    method: (edits.method ?? method).toUpperCase(),
    target: (edits.path ?? path) + (search === '' ? '' : `?${search}`),
    headers,
    body: text === '' ? undefined : Buffer.from(text),
    tooLarge: false,
    address: undefined,
  }
}
