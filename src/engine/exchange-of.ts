import type { Exchange, Message } from '../domain/traffic/exchange.ts'
import { JOURNAL_BODY_LIMIT } from '../domain/traffic/journal.ts'
import type { Reply, Request } from '../domain/traffic/message.ts'
import type { Answer, Call } from './call.ts'
import { secondsUntil } from './meter.ts'

/** The exchange that a call was, for every recorder. `ended`: real time, in milliseconds. */
export function exchangeOf(call: Call, answer: Answer, reply: Reply, ended: number): Exchange {
  const { request, verdict } = call
  const isRefused = verdict !== undefined && verdict.outcome !== 'counted'
  const isLost = reply.wire !== undefined && reply.wire !== 'truncate'
  return {
    id: call.id,
    at: call.now,
    namespace: call.world.name,
    key: call.caller?.key ?? call.sentKey,
    plan: call.caller?.plan,
    operationId: call.operation?.id,
    method: request.method,
    path: call.path,
    query: call.query,
    status: isLost ? 0 : reply.status,
    ms: ended - call.arrived,
    decision: call.decision,
    ignored: call.ignored,
    ignoredMore: call.ignoredMore,
    duplicateOf: call.duplicateOf,
    ...(call.holdTimeout !== undefined && { holdTimeout: call.holdTimeout }),
    deprecated: call.operation?.deprecated === true,
    startsBan: verdict?.startsBan === true,
    request: requestOf(request),
    response: isLost ? NOTHING : messageOf(reply.headers, reply.body as string | undefined),
    remaining: call.quota.remaining,
    retryAfter: isRefused ? secondsUntil(verdict.quota.resetsAt, call.now) : undefined,
    refusal: answer.refusal,
    secrets: call.world.keys.secrets,
  }
}

const NOTHING: Message = { headers: [], body: '' }

/** Its limit counts bytes: a text of fewer characters may be cut all the same. */
function requestOf({ headers, body, tooLarge }: Request): Message {
  if (!body) return { headers, body: '', ...(tooLarge && { truncated: true }) }
  const { buffer, byteOffset, byteLength } = body
  const text = Buffer.from(buffer, byteOffset, byteLength).toString('utf8', 0, JOURNAL_BODY_LIMIT)
  return byteLength <= JOURNAL_BODY_LIMIT ? { headers, body: text } : { headers, body: text, truncated: true }
}

function messageOf(headers: readonly string[], body = ''): Message {
  // No character takes more than three bytes a unit, so most need not be measured.
  if (body.length * 3 <= JOURNAL_BODY_LIMIT || Buffer.byteLength(body) <= JOURNAL_BODY_LIMIT)
    return { headers, body }
  // A copy, because a slice would keep the whole body alive.
  return { headers, body: Buffer.from(body).toString('utf8', 0, JOURNAL_BODY_LIMIT), truncated: true }
}
