import type { ResendRequest } from '../contract/generated/control.types.d.ts'
import { shorten } from '../text/shorten.ts'
import { encodeUtf8 } from '../text/utf8.ts'
import { ApiError } from '../world/api-error.ts'
import { Command } from '../world/command.ts'
import { bearerToken, splitToken } from '../world/keys/bearer-token.ts'
import { targetOf } from '../world/traffic/address.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import { entryOf } from '../world/traffic/journal-entry.ts'
import { fieldsWhere, type Request, requestWith } from '../world/traffic/message.ts'
import type { OperationContext, SomeHandlers } from './operation.ts'
import { jsonReply, noSuch } from './reply.ts'

type Edits = NonNullable<ResendRequest['edits']>

export const resending = {
  /** Sends a request of the journal again, with its key. */
  resendRequest: {
    // Only the request that is sent belongs to the history.
    past: 'none',
    async prepare({ deps }) {
      await deps.loadMocks()
      return {
        async apply(context) {
          const { id, request } = requestToSend(context)
          const full = context.deps.worlds.noRoomForDelayed
          if (full) throw full
          const { n, at, keys } = context.command
          const sent = new Command({ n, at, request, keys })
          const { status, onSent } = await context.deps.send(sent)
          onSent?.()
          if (sent.exchange) return jsonReply(200, entryOf(sent.exchange))
          const why =
            status === 503
              ? 'its namespace was rewound or dropped meanwhile'
              : 'OPTIONS and documents are not recorded; use another method or path'
          throw new ApiError(
            'conflict',
            `${id} was sent again and answered with ${status}; the journal has no entry of it: ${why}.`,
          )
        },
      }
    },
  },
} satisfies SomeHandlers

function requestToSend({ params, body = {}, deps, namespace, real }: OperationContext<'resendRequest'>) {
  const { branch, into } = body
  if (into !== undefined && deps.service !== undefined)
    throw new ApiError('not_implemented', 'A proxy has one namespace, which no key names; leave out into.')
  const world = deps.worlds.peek(namespace, real)
  const kept =
    branch === undefined ? world.journal.entries() : world.past.undone(branch).map((each) => each.exchange)
  const exchange = kept.findLast(({ id }) => id === params.id)
  if (!exchange) throw noSuch('request', params.id, ` in ${branch ?? 'the journal'} of ${world.name}`)
  const edits = into === undefined ? (body.edits ?? {}) : withKeyFor(exchange, into, body.edits)
  if (exchange.request.truncated && edits.body === undefined) {
    const message = `The body of ${exchange.id} ${whyIncomplete(exchange.request)}. Send a whole one in edits.body.`
    throw new ApiError('conflict', message)
  }
  return { id: exchange.id, request: requestOf(exchange, edits) }
}

function whyIncomplete({ body, undecodable }: Exchange['request']): string {
  if (undecodable) return 'is not UTF-8'
  return body === '' ? 'was not kept' : 'was cut at 16 KiB when it was recorded'
}

/** Edits that make the key of the request address the namespace `into`. */
function withKeyFor({ id, key }: Exchange, into: string, edits: Edits = {}): Edits {
  const sent = Object.entries(edits.headers ?? {}).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  )
  const { authorization, ...headers } = Object.fromEntries(sent)
  const { key: bare = '', namespace = into }: { readonly key?: string; readonly namespace?: string } =
    authorization === undefined ? { key } : splitToken(bearerToken(authorization ?? ''))
  if (bare !== '' && namespace === into)
    return { ...edits, headers: { ...headers, authorization: `Bearer ${bare}.${into}` } }
  throw new ApiError(
    'invalid_body',
    bare === ''
      ? `${id} would be sent without an API key, and the key of a request names its namespace. Leave out into, or send a key in edits.headers.authorization.`
      : `edits.headers.authorization names the namespace ${shorten(namespace)}, but into is ${into}; leave out one of them.`,
  )
}

/** Header fields of the connection, which do not apply to the new request. */
const FRAMING = ['content-length', 'transfer-encoding', 'connection', 'expect']

function requestOf({ method, path, query, request }: Exchange, edits: Edits): Request {
  const text = edits.body ?? request.body
  const set = new Map(Object.entries(edits.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]))
  const replaced = [...FRAMING, ...set.keys()]
  const headers = fieldsWhere(request.headers, (name) => !replaced.includes(name.toLowerCase()))
  for (const [name, value] of set) if (value !== null && !FRAMING.includes(name)) headers.push(name, value)
  const target = targetOf({ path: edits.path ?? path, query: edits.query ?? query })
  const body = text === '' ? undefined : encodeUtf8(text)
  return requestWith((edits.method ?? method).toUpperCase(), target, headers, body)
}
