import { encodeUtf8 } from '../text/utf8.ts'
import { ApiError } from '../world/api-error.ts'
import { bearerToken, splitToken } from '../world/keys/bearer-token.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import { entryOf } from '../world/traffic/journal-entry.ts'
import type { Request } from '../world/traffic/message.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import type { ControlContext, Schemas } from './context.ts'
import type { OperationContext, PreparedHandler, ReplyOf } from './operation.ts'
import { jsonReply, notFound } from './reply.ts'

type Edits = NonNullable<Schemas['ResendRequest']['edits']>

/** Sends a request of the journal once more, with the key that it came with. */
export const resendRequest: PreparedHandler<'resendRequest'> = {
  effect({ namespace, body }) {
    const sentTo = namespaceOf(body?.edits?.headers) ?? body?.into ?? namespace
    return sentTo === namespace ? { namespace } : { changes: sentTo }
  },
  async prepare(context) {
    await context.deps.loadMocks()
    return { apply: resend }
  },
}

/** The namespace that the key of these header fields names; undefined without such a field. */
function namespaceOf(headers: Edits['headers'] = {}): string | undefined {
  const [, sent] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization') ?? []
  return sent === undefined ? undefined : (splitToken(bearerToken(sent ?? '')).namespace ?? DEFAULT_NAMESPACE)
}

async function resend(context: OperationContext<'resendRequest'>): Promise<ReplyOf<'resendRequest'>> {
  const { id, request } = wanted(context)
  const { made, status } = await recorded(context, request)
  if (made) return jsonReply(200, entryOf(made))
  const why =
    status === 503
      ? 'its namespace went back or was dropped meanwhile'
      : 'OPTIONS and documents are not kept; edit another method or path'
  throw new ApiError(
    'conflict',
    `${id} was sent again and answered with ${status}; the journal has no entry of it: ${why}.`,
  )
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
  const edits = body?.into === undefined ? (body?.edits ?? {}) : addressed(exchange, body.into, body.edits)
  if (exchange.request.truncated && edits.body === undefined) {
    const why = exchange.request.undecodable ? 'is not UTF-8' : 'was cut at 16 KiB when it was recorded'
    const message = `The body of ${exchange.id} ${why}. Send a whole one in edits.body.`
    throw new ApiError('conflict', message)
  }
  return { id: exchange.id, request: requestOf(exchange, edits) }
}

/** With the key that it came with, which names another namespace now. */
function addressed({ id, key }: Exchange, into: string, edits: Edits = {}): Edits {
  const { headers = {} } = edits
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')) return edits
  if (key !== undefined) return { ...edits, headers: { ...headers, authorization: `Bearer ${key}.${into}` } }
  throw new ApiError(
    'invalid_body',
    `${id} came without an API key, and the key of a request names its namespace. Leave out into, or send a key in edits.headers.authorization.`,
  )
}

/** Sends it, and returns what was recorded of it: nothing where the journal does not keep it. */
async function recorded(
  { deps }: ControlContext,
  request: Request,
): Promise<{ readonly made: Exchange | undefined; readonly status: number }> {
  let made: Exchange | undefined
  const subscriber = (exchange: Exchange) => {
    // Requests of other namespaces have the same ids; none has the same list.
    if (exchange.request.headers === request.headers) made = exchange
  }
  deps.subscribers.add(subscriber)
  try {
    const { status, onSent } = await deps.send(request)
    onSent?.()
    return { made, status }
  } finally {
    deps.subscribers.delete(subscriber)
  }
}

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
    body: text === '' ? undefined : encodeUtf8(text),
    tooLarge: false,
    address: undefined,
  }
}
