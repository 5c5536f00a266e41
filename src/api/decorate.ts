import { rememberLast } from '../text/remember-last.ts'
import { byteLength } from '../text/utf8.ts'
import { httpDate, SECOND } from '../time/instant.ts'
import { deprecationHeaders, type Policy, renamedCode } from '../world/policy.ts'
import { BASE_PATH, CONTROL_PATH } from '../world/traffic/address.ts'
import { fieldValue, type Reply, type Request } from '../world/traffic/message.ts'
import type { Answer, Call } from './call.ts'
import { anonymousQuota } from './meter.ts'

const EXPOSED = [
  'Date, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Deprecation, Sunset, Link',
  'Location, WWW-Authenticate, Allow, Preference-Applied, X-Request-Id',
].join(', ')

const NOTES = `<${CONTROL_PATH}/docs/deprecations#getPet>`
const LINKS = [
  `<${BASE_PATH}/pets>; rel="successor-version"`,
  `${NOTES}; rel="deprecation"; type="text/html"`,
  `${NOTES}; rel="sunset"; type="text/html"`,
].join(', ')

/** Whether the sandbox or its server sets a header field of this name, whatever a contract declares for it. */
export const isOwnField = (name: string): boolean =>
  /^(date|content-(type|length|encoding)|cache-control|x-ratelimit-.*|x-request-id|access-control-.*|connection|keep-alive|transfer-encoding|upgrade|trailer|preference-applied)$/i.test(
    name,
  )

/** Converts an answer to a reply with the header fields that every response has (interface, section 8). */
export function decorate(call: Call, answer: Answer, policy: Policy): Reply {
  if (answer.reply) return answer.wire ? { ...answer.reply, wire: answer.wire } : answer.reply
  const text = textOf(answer, policy)
  const headers = ['Date', dateOf(Math.floor(call.now / SECOND) * SECOND)]
  if (text !== undefined) {
    const { mediaType = 'application/json' } = answer
    headers.push('Content-Type', mediaType, 'Content-Length', String(lengthOf(text)))
  } else if (answer.status !== 204) headers.push('Content-Length', '0')
  const { limit, remaining, resetsAt } = call.charged?.quota ?? anonymousQuota(policy, call.now)
  headers.push('Cache-Control', 'no-store', 'X-RateLimit-Limit', String(limit))
  headers.push('X-RateLimit-Remaining', String(remaining))
  headers.push('X-RateLimit-Reset', String(Math.ceil(resetsAt / SECOND)))
  if (answer.headers) headers.push(...answer.headers)
  if (call.operation?.hasSunset) headers.push(...deprecation(call, policy))
  headers.push(...corsHeaders(call.request, policy))
  if (call.id !== '') headers.push('X-Request-Id', call.id)
  return {
    status: answer.status,
    headers,
    body: call.request.method === 'HEAD' ? undefined : text,
    wire: answer.wire,
    close: answer.close,
  }
}

function textOf({ text, refusal, status }: Answer, policy: Policy): string | undefined {
  if (text !== undefined || !refusal) return text
  const code = refusal.isFinal ? refusal.code : renamedCode(policy, refusal.code)
  return JSON.stringify({ code, message: refusal.message, status })
}

/** Formatting a date costs as much as the rest of a reply. */
const dateOf = rememberLast(httpDate)
const sunsetOf = rememberLast(httpDate)
/** An unchanged list has the same text as before. */
const lengthOf = rememberLast(byteLength)

function deprecation(call: Call, policy: Policy): readonly string[] {
  const isAhead = call.now < policy.get.removedOn && call.caller?.trigger?.removed !== true
  return deprecationHeaders(policy, isAhead ? sunsetOf(policy.get.removedOn) : undefined, LINKS)
}

/** The header fields that let a page of another origin read a response. */
function corsHeaders({ headers }: Request, { cors }: Policy): readonly string[] {
  if (cors.origins === '*') return FOR_ALL
  const origin = fieldValue(headers, 'origin')
  const allowed = origin !== undefined && cors.origins.includes(origin)
  return [...(allowed ? ['Access-Control-Allow-Origin', origin] : []), 'Vary', 'Origin', ...EXPOSING]
}

const EXPOSING = ['Access-Control-Expose-Headers', EXPOSED]
const FOR_ALL = ['Access-Control-Allow-Origin', '*', ...EXPOSING]
