import type { Eventually } from '../time/eventually.ts'
import { ApiError } from '../world/api-error.ts'
import { bearerToken } from '../world/keys/bearer-token.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import { fieldValue, type Reply, type Request } from '../world/traffic/message.ts'
import { type Answer, begin, type Call } from './call.ts'
import type { Engine } from './engine.ts'
import { exchangeOf } from './exchange-of.ts'
import { inject, pickFault } from './inject.ts'
import { attempt, handle, type PipelineDeps, refused } from './pipeline.ts'
import { type Inspection, relayedExchange } from './relayed-exchange.ts'
import { restOf } from './resolve.ts'

export type { Inspection }

/** Only the world `default` is used. */
export interface RelayDeps extends PipelineDeps {
  /**
   * Passes a request on and returns the response of the service. `rest`: the target, relative to the base address if
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
    call.sentKey = sentKey(call.request)
    const answer = () => attempt(call, deps, forward)
    const acted = call.inside && call.request.method !== 'OPTIONS' ? pickFault(call) : undefined
    return acted ? inject(call, acted, { answer, preferred: answer }, deps) : answer()
  }

  async function forward(call: Call): Promise<Answer> {
    const { request } = call
    if (request.tooLarge) throw new ApiError('body_too_large', 'The body is larger than the proxy passes on.')
    if (request.method === 'CONNECT') throw new ApiError('not_implemented', 'The proxy opens no tunnels.')
    const reply = await deps.forward(request, restOf(call), call.inside)
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
