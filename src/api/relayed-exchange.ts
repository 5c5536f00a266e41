import type { Decision } from '../contract/generated/control.types.d.ts'
import { jsonOf } from '../contract/openapi/json.ts'
import { SECOND } from '../time/instant.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import { fieldValue, type Reply } from '../world/traffic/message.ts'
import { type Reason, SERVED } from '../world/traffic/reason.ts'
import type { Call } from './call.ts'
import { exchangeOf } from './exchange-of.ts'
import { noteDuplicate } from './operations.ts'

/** The facts of an exchange with a service. */
export interface Inspection {
  /** The body of the response as text, decompressed. */
  readonly body: string
  /** Violations of the contract by the request and the response, in sentences. */
  readonly violations: readonly string[]
}

/** The exchange of a call to a service, as far as the response shows it. `ended`: real time, in milliseconds. */
export function relayedExchange(call: Call, reply: Reply, inspection: Inspection, ended: number): Exchange {
  const { status, headers } = reply
  const { body, violations } = inspection
  const reason = status < 400 ? SERVED : refusalIn(body, call, status)
  if (call.operation?.id === 'createPet' && status === 201) noteDuplicate(call)
  if (call.decision === 'served') call.decision = decisionOn(status, reason.code)
  if (status === 429) call.retryAfter = secondsIn(fieldValue(headers, 'retry-after'), call.now)
  call.violations = violations
  return exchangeOf(call, { status, reason }, { ...reply, body }, ended)
}

function decisionOn(status: number, code: string | undefined): Decision {
  if (status === 401) return 'refused:key'
  if (status === 429) return code === 'api_key_banned' ? 'refused:ban' : 'refused:window'
  return status >= 400 && status < 500 ? 'refused:request' : 'served'
}

/** The code of the Error body. An unknown path has the code of the sandbox. */
function refusalIn(body: string, { operation, route }: Call, status: number): Reason {
  const sent = Object(jsonOf(body)) as { readonly code?: unknown; readonly message?: unknown }
  const ofCatalogue = status === 404 && !route && !operation ? 'route_not_found' : undefined
  return {
    code: ofCatalogue ?? (typeof sent.code === 'string' ? sent.code : 'unknown'),
    ...(typeof sent.message === 'string' && { message: sent.message }),
  }
}

/** `Retry-After` in seconds; it may be a date (RFC 9110, section 10.2.3). */
function secondsIn(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - now) / SECOND)
  return seconds > 0 ? seconds : undefined
}
