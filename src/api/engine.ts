import type { Contract } from '../contract/openapi/contract.ts'
import type { Eventually } from '../time/eventually.ts'
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
import { identify, isAdmitted } from './identify.ts'
import { inject, pickFault } from './inject.ts'
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
  const found = (request: Request): Call =>
    resolve(observing(request, deps.clock()), contract, worlds.default)
  const isMockedHere = ({ operation }: Call) => operation !== undefined && isMocked(operation, policy)
  return {
    prepare(request) {
      const isMocking = fieldValue(request.headers, 'prefer') !== undefined
      return isMocking || (mocksRoutes && isMockedHere(found(request))) ? deps.loadMocks() : undefined
    },
    handle: (command) => handle(command, deps),
    document: (request) =>
      isDocument(request) ? unrecorded(found(request), deps.documents, deps) : undefined,
    refuse(problem) {
      const call = found(UNREADABLE)
      call.id = UNREADABLE_ID
      return { ...decorate(call, errorAnswer(problem), policy), close: true }
    },
    bodyLimit({ method, target, headers }) {
      const decides =
        method === 'OPTIONS' || !isInside(target) || !isAdmitted(headers, worlds, deps.realTime())
      return decides ? undefined : REQUEST_BODY_LIMIT
    },
  }
}

/** Bytes that are not a valid HTTP request belong to no namespace and are not journaled. */
const UNREADABLE_ID = 'req_000000'

type Step = (call: Call, deps: EngineDeps) => Eventually<Answer>

function handle(command: Command, deps: EngineDeps): Eventually<Reply> {
  const call = resolve(command, deps.contract, deps.worlds.default)
  if (call.request.method === 'OPTIONS') {
    begin(call, false)
    return unrecorded(call, admitted, deps)
  }
  const answered = attempt(call, deps, admitted)
  // One that was refused before it was let in.
  if (call.epoch === undefined) begin(call)
  return next(call, deps, delayed(call, deps, next(call, deps, answered, note)), record)
}

/** Identifies and meters the caller, then answers, unless a fault is injected. */
function admitted(call: Call, deps: EngineDeps): Eventually<Answer> {
  const { policy, worlds } = deps
  if (!call.inside) throw routeNotFound(call)
  identify(call, worlds)
  call.world.admitted = true
  begin(call)
  meter(call, policy)
  const acted = pickFault(call)
  if (!acted) return preferred(call, deps)
  const steps = {
    answer: () => attempt(call, deps, answer),
    preferred: () => attempt(call, deps, preferred),
  }
  return inject(call, acted, steps, deps)
}

/** The answer that `Prefer` asks for, else that of the operation. */
function preferred(call: Call, deps: EngineDeps): Eventually<Answer> {
  return force(call, deps.mock, deps.policy) ?? answer(call, deps)
}

/** A fault may have delayed it until its world was rewound. */
function answer(call: Call, deps: EngineDeps): Eventually<Answer> {
  refuseIfRewound(call)
  return dispatch(call, deps)
}

/** Notes possible duplicates at once, and what has to be durable before the answer is sent. */
function note(call: Call, found: Answer, deps: EngineDeps): Answer {
  if (call.changed?.change === 'created' && !rewoundMeanwhile(call)) noteDuplicate(call)
  call.durable = deps.durable(call.world.name)
  return found
}

function delayed(
  call: Call,
  { latency, sleep }: EngineDeps,
  answered: Eventually<Answer>,
): Eventually<Answer> {
  const own = call.caller?.trigger?.late ?? 0
  const all = latency && call.inside ? drawLatency(latency, call.world.chance) : 0
  return own + all > 0 ? sleep(own + all).then(() => answered) : answered
}

/** The reply is given once everything is durable that it may have seen. */
function record(call: Call, found: Answer, deps: EngineDeps): Eventually<Reply> {
  const { policy } = deps
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
  if (!due) return sent(recorded(made, exchange, deps))
  return due.then(
    () => sent(recorded(made, exchange, deps)),
    (error: unknown) => sent(undone(call, error, deps)),
  )
}

function recorded(made: Reply, exchange: Exchange, { recorders }: EngineDeps): Reply {
  for (const recorder of recorders) recorder(exchange)
  return made
}

/** Its changes could not be stored and were undone: the request is refused instead. */
function undone(call: Call, error: unknown, deps: EngineDeps): Reply {
  const refused = refusalOf(call, error, deps)
  call.duplicateOf = undefined
  call.changed = undefined
  const made = decorate(call, refused, deps.policy)
  const exchange = exchangeOf(call, refused, made, deps.realTime())
  if (!rewoundMeanwhile(call)) deps.keep(call, exchange, true)
  return recorded(made, exchange, deps)
}

/** The answer to what is not recorded: OPTIONS, and documents. */
function unrecorded(call: Call, step: Step, deps: EngineDeps): Eventually<Reply> {
  const answered = attempt(call, deps, () => options(call, deps.policy) ?? step(call, deps))
  return next(call, deps, answered, (call, found, { policy }) => decorate(call, found, policy))
}

/** Goes on with an answer, at once where it is there. */
const next = <T>(
  call: Call,
  deps: EngineDeps,
  answered: Eventually<Answer>,
  act: (call: Call, found: Answer, deps: EngineDeps) => Eventually<T>,
): Eventually<T> =>
  answered instanceof Promise ? answered.then((found) => act(call, found, deps)) : act(call, answered, deps)

/** Converts what is thrown, now or later, into an answer. */
function attempt(call: Call, deps: EngineDeps, step: Step): Eventually<Answer> {
  try {
    const answered = step(call, deps)
    return answered instanceof Promise
      ? answered.catch((error: unknown) => refusalOf(call, error, deps))
      : answered
  } catch (error) {
    return refusalOf(call, error, deps)
  }
}

function refusalOf(call: Call, error: unknown, { onFailure }: EngineDeps): Answer {
  if (error instanceof ApiError) {
    if (call.decision === 'served') call.decision = decisionOn(error)
    return errorAnswer(error)
  }
  onFailure(error)
  return internalError()
}

const decisionOn = ({ code }: ApiError): Call['decision'] => {
  if (code === 'missing_api_key' || code === 'invalid_api_key') return 'refused:key'
  if (code === 'api_key_banned') return 'refused:ban'
  return code === 'rate_limit_exceeded' ? 'refused:window' : 'refused:request'
}
