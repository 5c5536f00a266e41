import type { Contract } from '../contract/openapi/contract.ts'
import type { Eventually } from '../time/eventually.ts'
import type { Sleep } from '../time/timer.ts'
import { ApiError } from '../world/api-error.ts'
import type { Command } from '../world/command.ts'
import { drawLatency, type Latency } from '../world/faults/latency.ts'
import { bearerToken } from '../world/keys/bearer-token.ts'
import type { Policy } from '../world/policy.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import { fieldValue, type Reply, type Request } from '../world/traffic/message.ts'
import type { Worlds } from '../world/worlds.ts'
import { type Answer, begin, type Call, type Keep, rewoundMeanwhile } from './call.ts'
import { decorate } from './decorate.ts'
import type { Engine } from './engine.ts'
import { errorAnswer, internalError } from './error-answer.ts'
import { exchangeOf } from './exchange-of.ts'
import { release } from './hold.ts'
import { inject, pickFault } from './inject.ts'
import { type Inspection, relayedExchange } from './relayed-exchange.ts'
import { observing, resolve, restOf, UNREADABLE } from './resolve.ts'

export type { Inspection }

export interface RelayDeps {
  readonly contract: Contract
  readonly policy: Policy
  /** Only `default` is used. */
  readonly worlds: Worlds
  /** Real time, in milliseconds since the epoch. */
  readonly realTime: () => number
  readonly sleep: Sleep
  /** The delay of every answer; undefined = none. */
  readonly latency: Latency | undefined
  /**
   * Passes a request on and gives the service's response, whatever it is; `rest`: its target, relative to the base
   * address where `inside` says so. Rejects with an ApiError where there is no response.
   */
  readonly forward: (request: Request, rest: string, inside: boolean) => Promise<Reply>
  readonly inspect: (call: Call, reply: Reply) => Promise<Inspection>
  readonly keep: Keep
  /** Each receives the exchange independently of the others. */
  readonly recorders: readonly ((exchange: Exchange) => void)[]
  /** Receives unexpected failures. */
  readonly onFailure: (error: unknown) => void
}

/**
 * Relays a request to a service. The response of the service is not changed; faults and latency are added, under the
 * base path only.
 */
export function createRelay(deps: RelayDeps): Pick<Engine, 'handle' | 'refuse'> {
  const { contract, policy, worlds } = deps

  return { handle, refuse }

  async function handle(command: Command): Promise<Reply> {
    const call = resolve(command, contract, worlds.default)
    const { request } = call
    begin(call, request.method !== 'OPTIONS')
    call.sentKey = sentKey(request)
    const answer = await attempt(() => disturbed(call))
    const reply = decorate(call, answer, policy)
    if (request.method !== 'OPTIONS' && !rewoundMeanwhile(call)) await record(call, answer, reply)
    await call.sentBefore
    const onSent = release(call, reply)
    return onSent ? { ...reply, onSent } : reply
  }

  function disturbed(call: Call): Eventually<Answer> {
    const forwarded = () => attempt(() => forward(call))
    if (!call.inside || call.request.method === 'OPTIONS') return forwarded()
    const acted = pickFault(call)
    const steps = { answer: forwarded, preferred: forwarded }
    const answered = acted ? inject(call, acted, steps, deps) : forwarded()
    const late = deps.latency ? drawLatency(deps.latency, call.world.chance) : 0
    return late > 0 ? deps.sleep(late).then(() => answered) : answered
  }

  async function forward(call: Call): Promise<Answer> {
    const { request } = call
    if (request.tooLarge) throw new ApiError('body_too_large', 'The body is larger than the proxy passes on.')
    if (request.method === 'CONNECT') throw new ApiError('not_implemented', 'The proxy opens no tunnels.')
    const reply = await deps.forward(request, restOf(call), call.inside)
    return { status: reply.status, reply }
  }

  /** Converts what is thrown into an answer. */
  async function attempt(act: () => Eventually<Answer>): Promise<Answer> {
    try {
      return await act()
    } catch (error) {
      if (error instanceof ApiError) return errorAnswer(error)
      deps.onFailure(error)
      return internalError()
    }
  }

  async function record(call: Call, answer: Answer, reply: Reply): Promise<void> {
    const ended = deps.realTime()
    const inspection = answer.reply && (await inspected(call, answer.reply))
    const exchange = inspection
      ? relayedExchange(call, reply, inspection, ended)
      : exchangeOf(call, answer, reply, ended)
    deps.keep(call, exchange)
    for (const recorder of deps.recorders) recorder(exchange)
  }

  /** A response that cannot be validated is passed on unchanged. */
  async function inspected(call: Call, reply: Reply): Promise<Inspection> {
    try {
      return await deps.inspect(call, reply)
    } catch (error) {
      deps.onFailure(error)
      return { body: '', violations: [] }
    }
  }

  function refuse(problem: ApiError): Reply {
    const call = resolve(observing(UNREADABLE, deps.realTime()), contract, worlds.default)
    call.id = call.world.nextRequestId()
    return { ...decorate(call, errorAnswer(problem), policy), close: true }
  }
}

/** The key of a request; only the service knows whether it is valid. */
const sentKey = ({ headers }: Request): string | undefined =>
  bearerToken(fieldValue(headers, 'authorization')) || undefined
