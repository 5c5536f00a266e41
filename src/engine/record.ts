import type { Exchange, Message } from '../domain/exchange.ts'
import { BODY_LIMIT } from '../domain/journal.ts'
import type { Reply } from '../domain/message.ts'
import type { Answer, Call } from './call.ts'
import { secondsUntil } from './meter.ts'

/** The exchange that a call was, for every recorder. `ended`: real time, in milliseconds. */
export function exchangeOf(call: Call, answer: Answer, reply: Reply, ended: number): Exchange {
  const { request, verdict } = call
  const isRefused = verdict !== undefined && verdict.outcome !== 'counted'
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
    status: reply.wire && reply.wire !== 'truncate' ? 0 : reply.status,
    ms: ended - call.arrived,
    decision: call.decision,
    ignored: call.ignored,
    duplicateOf: call.duplicateOf,
    deprecated: call.operation?.deprecated === true,
    startsBan: verdict?.startsBan === true,
    request: messageOf(request.headers, textOf(request.body)),
    response: messageOf(reply.headers, reply.body as string | undefined),
    remaining: call.quota.remaining,
    retryAfter: isRefused ? secondsUntil(verdict.quota.resetsAt, call.now) : undefined,
    refusal: answer.refusal,
  }
}

const textOf = (body: Uint8Array | undefined): string | undefined =>
  body && Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8', 0, BODY_LIMIT + 4)

function messageOf(headers: readonly string[], body = ''): Message {
  if (body.length <= BODY_LIMIT) return { headers, body }
  // A copy, because a slice would keep the whole body alive.
  return { headers, body: Buffer.from(body.slice(0, BODY_LIMIT)).toString(), truncated: true }
}
