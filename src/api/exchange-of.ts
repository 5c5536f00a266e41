import { byteLength, decodeStart, decodeUtf8, encodeUtf8, textOf } from '../text/utf8.ts'
import { isDelay } from '../world/faults/fault.ts'
import type { Exchange, Message } from '../world/traffic/exchange.ts'
import { findingsOf } from '../world/traffic/findings.ts'
import { JOURNAL_BODY_LIMIT } from '../world/traffic/journal.ts'
import type { Reply, Request } from '../world/traffic/message.ts'
import { FORCED, type Reason } from '../world/traffic/reason.ts'
import { testNameIn } from '../world/traffic/test-name.ts'
import { type Answer, type Call, reasonOf } from './call.ts'

/** The exchange of an answered call, with its findings, for every recorder. `ended`: real time, in milliseconds. */
export function exchangeOf(call: Call, answer: Answer, reply: Reply, ended: number): Exchange {
  const { request, decision, violations } = call
  const isLost = reply.wire !== undefined && reply.wire !== 'truncate'
  const status = isLost ? 0 : reply.status
  const reason = reasonOf(answer)
  return {
    id: call.id,
    at: call.now,
    receivedAt: call.arrived,
    namespace: call.world.name,
    key: call.sentKey,
    plan: call.caller?.plan,
    operationId: call.operation?.id,
    method: request.method,
    path: call.path,
    query: call.query,
    status,
    ms: Math.max(0, ended - call.arrived),
    decision,
    reason,
    acted: call.acted,
    charged: call.charged,
    changed: call.changed,
    findings: findingsOf({
      status,
      decision,
      isIntended: isIntended(call, reason),
      isDeprecated: call.operation?.deprecated === true,
      startsBan: call.charged?.startsBan === true,
      early: decision === 'refused:key' ? undefined : call.early,
      ignored: call.ignored,
      ignoredMore: call.ignoredMore,
      duplicateOf: call.duplicateOf,
      holdTimeout: call.acted?.timeout,
      violations: violations ?? [],
      code: reason.code,
    }),
    test: testNameIn(request.headers) ?? call.world.label.value,
    ...(violations && { isRelayed: true }),
    request: requestOf(request),
    response: isLost ? NOTHING : messageOf(reply.headers, reply.body as string | undefined),
    secrets: call.world.keys.secrets,
  }
}

/** Whether the answer was produced on purpose. A rule that only delays it produces no answer. */
function isIntended({ decision, acted, caller }: Call, { code }: Reason): boolean {
  const isByKey = caller?.trigger?.failsEvery !== undefined && code === 'service_unavailable'
  if (acted && isDelay(acted.effect)) return code === FORCED.code || isByKey
  return decision === 'forced' || decision.startsWith('fault:')
}

const NOTHING: Message = { headers: [], body: '' }

/** The limit is in bytes: a text of fewer characters may also be cut. */
function requestOf({ headers, body, tooLarge }: Request): Message {
  if (!body) return { headers, body: '', ...(tooLarge && { truncated: true }) }
  if (body.length > JOURNAL_BODY_LIMIT)
    return { headers, body: decodeStart(body, JOURNAL_BODY_LIMIT), truncated: true }
  const text = textOf(body)
  return text === undefined
    ? { headers, body: decodeUtf8(body), truncated: true, undecodable: true }
    : { headers, body: text }
}

function messageOf(headers: readonly string[], body = ''): Message {
  // A UTF-16 unit takes at most three bytes, so that most bodies need not be measured.
  if (body.length * 3 <= JOURNAL_BODY_LIMIT || byteLength(body) <= JOURNAL_BODY_LIMIT)
    return { headers, body }
  // A copy: a slice would keep the whole body in memory.
  return { headers, body: decodeStart(encodeUtf8(body), JOURNAL_BODY_LIMIT), truncated: true }
}
