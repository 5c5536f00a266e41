import type { Contract } from '../contract/openapi/contract.ts'
import { type Eventually, whenReady } from '../time/eventually.ts'
import { ApiError } from '../world/api-error.ts'
import { drawLatency, type Latency } from '../world/faults/latency.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import { fieldValue, type Handle, type Reply, type Request } from '../world/traffic/message.ts'
import type { Worlds } from '../world/worlds.ts'
import { type Answer, begin, type Call, type Keep, refuseIfRewound, rewoundMeanwhile } from './call.ts'
import { decorate } from './decorate.ts'
import { type DispatchDeps, dispatch, isMocked, routeNotFound } from './dispatch.ts'
import { errorAnswer, internalError } from './error-answer.ts'
import { exchangeOf } from './exchange-of.ts'
import { force } from './force.ts'
import { release } from './hold.ts'
import { identify, isAdmitted, placeRefused } from './identify.ts'
import { inject, type Sleep } from './inject.ts'
import { meter } from './meter.ts'
import { noteDuplicate } from './operations.ts'
import { options } from './options.ts'
import { isInside, resolve, UNREADABLE } from './resolve.ts'
import { REQUEST_BODY_LIMIT } from './sent-pet.ts'

export interface EngineDeps extends DispatchDeps {
  readonly contract: Contract
  readonly worlds: Worlds
  /** Loads Prism; undefined where it is loaded. */
  readonly loadMocks: () => Promise<void> | undefined
  /** Resolves once every change of a namespace is durable; undefined where none is waiting. Rejects with a 503. */
  readonly durable: (namespace: string) => Promise<void> | undefined
  /** Real time, in milliseconds since the epoch. */
  readonly realTime: () => number
  readonly sleep: Sleep
  /** The delay of every answer; undefined = none. */
  readonly latency: Latency | undefined
  /** The documents that are served beside the API; undefined where the path is none of them. */
  readonly documents: (call: Call) => Eventually<Answer> | undefined
  readonly keep: Keep
  /** Each receives the exchange when its reply is released, independently of the others. */
  readonly recorders: readonly ((exchange: Exchange) => void)[]
  /** Receives unexpected failures. */
  readonly onFailure: (error: unknown) => void
}

export interface Engine {
  /** Loads what a request needs before it is handled; undefined where nothing is needed. Changes nothing. */
  readonly prepare: (request: Request) => Promise<void> | undefined
  /** Answers a request; its steps are in order. */
  readonly handle: Handle
  /** The response to bytes that are not a valid HTTP request. */
  readonly refuse: (problem: ApiError) => Reply
  /** The largest body of a request that is read; undefined where its head alone decides, as without a valid key. */
  readonly bodyLimit: (head: Request) => number | undefined
}

export function createEngine(deps: EngineDeps): Engine {
  const { contract, policy, worlds } = deps

  const mocksRoutes = [...contract.operations.values()].some((operation) => isMocked(operation, policy))

  return { prepare, handle, refuse, bodyLimit }

  function prepare(request: Request): Promise<void> | undefined {
    return needsMocks(request) ? deps.loadMocks() : undefined
  }

  function needsMocks(request: Request): boolean {
    if (fieldValue(request.headers, 'prefer') !== undefined) return true
    if (!mocksRoutes) return false
    const { operation } = resolve(request, contract, policy, worlds.default, deps.realTime())
    return operation !== undefined && isMocked(operation, policy)
  }

  function handle(request: Request): Eventually<Reply> {
    const call = resolve(request, contract, policy, worlds.default, deps.realTime())
    const free = attempt(call, () => options(call, policy) ?? deps.documents(call))
    if (free) {
      call.id ||= call.world.nextRequestId()
      return whenReady(free, (found) => reply(call, found))
    }
    const answered = attempt(call, () => admitted(call))
    if (request.method === 'OPTIONS') return whenReady(answered, (found) => reply(call, found))
    // One that was refused before it was let in.
    if (!call.began) begin(call)
    const noted = whenReady(answered, (found) => note(call, found))
    return whenReady(late(call, noted), (found) => record(call, found))
  }

  /** Notes possible duplicates at once, and what has to be durable before the answer is sent. */
  function note(call: Call, found: Answer): Answer {
    if (call.changed?.change === 'created' && !rewoundMeanwhile(call)) noteDuplicate(call)
    call.durable = deps.durable(call.world.name)
    return found
  }

  /** Identifies and meters the caller, then answers, unless a fault is injected. */
  function admitted(call: Call): Eventually<Answer> {
    if (!call.inside) throw routeNotFound(call)
    identify(call, worlds, (namespace) => placeRefused(call, namespace, worlds, policy))
    begin(call)
    meter(call, policy)
    const answerIt = () => attempt(call, () => answer(call))
    const forceIt = () => attempt(call, () => force(call, deps.mock, policy) ?? answer(call))
    return inject(call, answerIt, forceIt, deps) ?? forceIt()
  }

  /** A fault may have delayed it until its world was rewound. */
  function answer(call: Call): Eventually<Answer> {
    refuseIfRewound(call)
    return dispatch(call, deps)
  }

  /** Converts what is thrown, now or later, into an answer. */
  function attempt<Found extends Eventually<Answer> | undefined>(
    call: Call,
    act: () => Found,
  ): Found | Eventually<Answer> {
    const refuse = (error: unknown): Answer => {
      if (error instanceof ApiError) {
        if (call.decision === 'served') call.decision = decisionOn(error)
        return errorAnswer(error)
      }
      deps.onFailure(error)
      return internalError()
    }
    try {
      const answered = act()
      return answered instanceof Promise ? answered.catch(refuse) : answered
    } catch (error) {
      return refuse(error)
    }
  }

  function late(call: Call, answered: Eventually<Answer>): Eventually<Answer> {
    const own = call.caller?.trigger?.late ?? 0
    const all = deps.latency && call.inside ? drawLatency(deps.latency, call.world.chance) : 0
    return own + all > 0 ? deps.sleep(own + all).then(() => answered) : answered
  }

  function bodyLimit({ method, target, headers }: Request): number | undefined {
    const decides = method === 'OPTIONS' || !isInside(target) || !isAdmitted(headers, worlds, deps.realTime())
    return decides ? undefined : REQUEST_BODY_LIMIT
  }

  function reply(call: Call, found: Answer): Reply {
    call.id ||= call.world.nextRequestId()
    return decorate(call, found, policy)
  }

  function refuse(problem: ApiError): Reply {
    const call = resolve(UNREADABLE, contract, policy, worlds.default, deps.realTime())
    call.id = UNREADABLE_ID
    return { ...reply(call, errorAnswer(problem)), close: true }
  }

  function record(call: Call, found: Answer): Eventually<Reply> {
    const rewound = rewoundMeanwhile(call)
    if (rewound) return reply(call, errorAnswer(rewound))
    const made = reply(call, found)
    const exchange = exchangeOf(call, found, made, deps.realTime())
    deps.keep(call, exchange)
    const onSent = release(call, made)
    const sent = (ready: Reply): Reply => (onSent ? { ...ready, onSent } : ready)
    const { durable, sentBefore } = call
    const due = durable && sentBefore ? Promise.all([durable, sentBefore]) : (durable ?? sentBefore)
    if (!due) return sent(recorded(made, exchange))
    return due.then(
      () => sent(recorded(made, exchange)),
      (error: unknown) => sent(undone(call, error, exchange)),
    )
  }

  function recorded(made: Reply, exchange: Exchange): Reply {
    for (const recorder of deps.recorders) recorder(exchange)
    return made
  }

  /** Its changes could not be stored and were undone: the request is refused instead. */
  function undone(call: Call, error: unknown, before: Exchange): Reply {
    const refused = attempt(call, (): Answer => {
      throw error
    }) as Answer
    call.duplicateOf = undefined
    call.changed = undefined
    const made = reply(call, refused)
    const exchange = exchangeOf(call, refused, made, deps.realTime())
    if (!rewoundMeanwhile(call)) deps.keep(call, exchange, before)
    return recorded(made, exchange)
  }
}

/** Bytes that are not a valid HTTP request belong to no namespace and are not journaled. */
const UNREADABLE_ID = 'req_000000'

const decisionOn = ({ code }: ApiError): Call['decision'] => {
  if (code === 'missing_api_key' || code === 'invalid_api_key') return 'refused:key'
  if (code === 'api_key_banned') return 'refused:ban'
  return code === 'rate_limit_exceeded' ? 'refused:window' : 'refused:request'
}
