import type { Decision } from '../contract/generated/control.types.d.ts'
import { jsonOf } from '../contract/openapi/json.ts'
import type { Eventually } from '../time/eventually.ts'
import { SECOND } from '../time/instant.ts'
import { ApiError } from '../world/api-error.ts'
import { bearerToken } from '../world/keys/bearer-token.ts'
import { earlyBy } from '../world/limits/meter.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import { fieldValue, type Reply, type Request } from '../world/traffic/message.ts'
import { type Reason, SERVED } from '../world/traffic/reason.ts'
import { type Answer, begin, type Call, noteDuplicate } from './call.ts'
import type { Engine } from './engine.ts'
import { exchangeOf } from './exchange-of.ts'
import { inject, pickFault } from './inject.ts'
import { attempt, handle, type PipelineDeps, refused } from './pipeline.ts'
import { relativeTarget } from './resolve.ts'

/** The facts of an exchange with a service. */
export interface Inspection {
  /** The body of the response as text, decompressed. */
  readonly body: string
  /** Violations of the contract by the request and the response, in sentences. */
  readonly violations: readonly string[]
}

/** Only the world `default` is used. */
export interface RelayDeps extends PipelineDeps {
  /**
   * Forwards a request and returns the response of the service. `rest`: the target, relative to the base address if
   * `inside`. Rejects with an ApiError if there is no response.
   */
  readonly forward: (request: Request, rest: string, inside: boolean) => Promise<Reply>
  readonly inspect: (call: Call, reply: Reply) => Promise<Inspection>
}

/** Relays a request to a service. The response is not changed; faults and latency apply under the base path only. */
export function createRelay(deps: RelayDeps): Pick<Engine, 'handle' | 'refuse'> {
  return {
    handle: (command) => handle(command, deps, { answer: relayed, exchangeOf: inspected }),
    refuse: (problem) => refused(problem, deps.realTime(), deps),
  }

  function relayed(call: Call): Eventually<Answer> {
    if (call.epoch === undefined) begin(call)
    const key = sentKey(call.request)
    call.sentKey = key
    if (key !== undefined) call.early = earlyBy(call.world.meters.get(key), call.now)
    const answer = () => attempt(call, deps, forward)
    const acted = call.inside && call.request.method !== 'OPTIONS' ? pickFault(call) : undefined
    return acted ? inject(call, acted, { answer, preferred: answer }, deps) : answer()
  }

  async function forward(call: Call): Promise<Answer> {
    const { request } = call
    if (request.tooLarge) throw new ApiError('body_too_large', 'The body is larger than the proxy forwards.')
    if (request.method === 'CONNECT')
      throw new ApiError('not_implemented', 'CONNECT is not supported. Use this address as the base URL.')
    const reply = await deps.forward(request, relativeTarget(call), call.inside)
    return { status: reply.status, reply }
  }

  /** If the response cannot be validated, it is still passed on. */
  function inspected(call: Call, answer: Answer, reply: Reply, ended: number): Eventually<Exchange> {
    if (!answer.reply) return exchangeOf(call, answer, reply, ended)
    return deps
      .inspect(call, answer.reply)
      .catch((error: unknown): Inspection => {
        deps.onFailure(error)
        return { body: '', violations: [] }
      })
      .then((inspection) => relayedExchange(call, reply, inspection, ended))
  }
}

/** The key of a request; only the service knows whether it is valid. */
const sentKey = ({ headers }: Request): string | undefined =>
  bearerToken(fieldValue(headers, 'authorization')) || undefined

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
  const sent: { readonly code?: unknown; readonly message?: unknown } = Object(jsonOf(body))
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
