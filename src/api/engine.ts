import type { Contract } from '../contract/openapi/contract.ts'
import { type Eventually, whenReady } from '../time/eventually.ts'
import type { Sleep } from '../time/timer.ts'
import { ApiError } from '../world/api-error.ts'
import type { Command } from '../world/command.ts'
import { drawLatency, type Latency } from '../world/faults/latency.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import { fieldValue, type Reply, type Request } from '../world/traffic/message.ts'
import type { Worlds } from '../world/worlds.ts'
import { type Answer, begin, type Call, type Keep, refuseIfRewound, rewoundMeanwhile } from './call.ts'
import { decorate } from './decorate.ts'
import { type DispatchDeps, dispatch, isMocked, routeNotFound } from './dispatch.ts'
import { isDocument } from './documents.ts'
import { errorAnswer, internalError } from './error-answer.ts'
import { exchangeOf } from './exchange-of.ts'
import { force } from './force.ts'
import { release } from './hold.ts'
import { identify, isAdmitted, placeRefused } from './identify.ts'
import { inject } from './inject.ts'
import { meter } from './meter.ts'
import { noteDuplicate } from './operations.ts'
import { options } from './options.ts'
import { isInside, observing, resolve, UNREADABLE } from './resolve.ts'
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
  /** The same where no command is applied. */
  readonly clock: () => number
  readonly sleep: Sleep
  /** The delay of every answer; undefined = none. */
  readonly latency: Latency | undefined
  /** The documents that are served beside the API. */
  readonly documents: (call: Call) => Eventually<Answer>
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
  readonly handle: (command: Command) => Eventually<Reply>
  /** Answers what asks for a document: it is no command, and takes nothing from any world. Undefined for the rest. */
  readonly document: (request: Request) => Eventually<Reply> | undefined
  /** The response to bytes that are not a valid HTTP request. */
  readonly refuse: (problem: ApiError) => Reply
  /** The largest body of a request that is read; undefined where its head alone decides, as without a valid key. */
  readonly bodyLimit: (head: Request) => number | undefined
}

export function createEngine(deps: EngineDeps): Engine {
  const { contract, policy, worlds } = deps

  const mocksRoutes = [...contract.operations.values()].some((operation) => isMocked(operation, policy))

  return { prepare, handle, document, refuse, bodyLimit }

  function prepare(request: Request): Promise<void> | undefined {
    return needsMocks(request) ? deps.loadMocks() : undefined
  }

  function needsMocks(request: Request): boolean {
    if (fieldValue(request.headers, 'prefer') !== undefined) return true
    if (!mocksRoutes) return false
    const { operation } = found(request)
    return operation !== undefined && isMocked(operation, policy)
  }

  function found(request: Request): Call {
    const at = deps.clock()
    return resolve(observing(request, at), contract, policy, worlds.default, at)
  }

  function document(request: Request): Eventually<Reply> | undefined {
    if (!isDocument(request)) return undefined
    const call = found(request)
    return whenReady(
      attempt(call, () => options(call, policy) ?? deps.documents(call)),
      (found) => decorate(call, found, policy),
    )
  }

  function handle(command: Command): Eventually<Reply> {
    const call = resolve(command, contract, policy, worlds.default, deps.realTime())
    if (call.request.method === 'OPTIONS') {
      begin(call, false)
      const answered = attempt(call, () => options(call, policy) ?? admitted(call))
      return whenReady(answered, (found) => decorate(call, found, policy))
    }
    const answered = attempt(call, () => admitted(call))
    // One that was refused before it was let in.
    if (call.epoch === undefined) begin(call)
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
    call.world.admitted = true
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

  function refuse(problem: ApiError): Reply {
    const call = found(UNREADABLE)
    call.id = UNREADABLE_ID
    return { ...decorate(call, errorAnswer(problem), policy), close: true }
  }

  function record(call: Call, found: Answer): Eventually<Reply> {
    const rewound = rewoundMeanwhile(call)
    if (rewound) {
      call.command.release()
      return decorate(call, errorAnswer(rewound), policy)
    }
    const made = decorate(call, found, policy)
    const exchange = exchangeOf(call, found, made, deps.realTime())
    deps.keep(call, exchange)
    const onSent = release(call, made)
    const sent = (ready: Reply): Reply => (onSent ? { ...ready, onSent } : ready)
    const { durable, sentBefore } = call
    const due = durable && sentBefore ? Promise.all([durable, sentBefore]) : (durable ?? sentBefore)
    if (!due) return sent(recorded(made, exchange))
    return due.then(
      () => sent(recorded(made, exchange)),
      (error: unknown) => sent(undone(call, error)),
    )
  }

  function recorded(made: Reply, exchange: Exchange): Reply {
    for (const recorder of deps.recorders) recorder(exchange)
    return made
  }

  /** Its changes could not be stored and were undone: the request is refused instead. */
  function undone(call: Call, error: unknown): Reply {
    const refused = attempt(call, (): Answer => {
      throw error
    }) as Answer
    call.duplicateOf = undefined
    call.changed = undefined
    const made = decorate(call, refused, policy)
    const exchange = exchangeOf(call, refused, made, deps.realTime())
    if (!rewoundMeanwhile(call)) deps.keep(call, exchange, true)
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
