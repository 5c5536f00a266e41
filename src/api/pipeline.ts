import type { Contract } from '../contract/openapi/contract.ts'
import { type Eventually, orElse, whenReady } from '../time/eventually.ts'
import { ApiError, internalError } from '../world/api-error.ts'
import type { Command } from '../world/command.ts'
import { isDelay } from '../world/faults/fault.ts'
import { drawLatency, type Latency } from '../world/faults/latency.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import { type Reply, requestWith } from '../world/traffic/message.ts'
import type { Worlds } from '../world/worlds.ts'
import {
  type Answer,
  awaitChanges,
  begin,
  type Call,
  errorAnswer,
  noteDuplicate,
  rewoundMeanwhile,
} from './call.ts'
import { decorate } from './decorate.ts'
import { countDelayed, counted } from './delayed.ts'
import { exchangeOf } from './exchange-of.ts'
import { type InjectDeps, release } from './inject.ts'
import { resolve, unrecordedCommand } from './resolve.ts'

/** The parts that both the sandbox and the proxy need to handle a request. */
export interface PipelineDeps extends InjectDeps {
  readonly contract: Contract
  readonly worlds: Worlds
  /** The delay of every answer; undefined for none. */
  readonly latency: Latency | undefined
  /** Each receives every exchange when its reply is released. None may throw: the request would fail. */
  readonly recorders: Iterable<Recorder>
  /** Receives unexpected failures. */
  readonly onFailure: (error: unknown) => void
}

export type Recorder = (exchange: Exchange) => void

/** The steps that differ between sandbox and proxy. */
export interface Steps {
  readonly answer: (call: Call) => Eventually<Answer>
  /** By default `exchangeOf`. */
  readonly exchangeOf?: (...given: Parameters<typeof exchangeOf>) => Eventually<Exchange>
}

/** Handles a request. The exchange is recorded, except for OPTIONS. */
export function handle(command: Command, deps: PipelineDeps, steps: Steps): Eventually<Reply> {
  const call = resolve(command, deps.contract, deps.worlds.default)
  const { refusal, isRefused } = command
  if (call.request.method === 'OPTIONS') {
    begin(call, false)
    return unrecorded(call, deps, steps.answer)
  }
  const answered = attempt(call, deps, steps.answer)
  // A request that was refused before it had a namespace.
  if (call.epoch === undefined) begin(call)
  const noted = whenReady(answered, (answer) => {
    if (call.changed?.change === 'created' && !rewoundMeanwhile(call)) noteDuplicate(call)
    if (!call.durable) awaitChanges(call, deps.durable)
    // Applied again, also a request that only waited for a change which could not be stored is refused as it was.
    return refusal && isRefused ? refuseInstead(call, refusal, deps) : answer
  })
  return whenReady(delay(call, deps, noted), (answer) => finish(call, answer, deps, steps))
}

/** Answers a request that is not recorded: OPTIONS, or for a document. */
export const unrecorded = (call: Call, deps: PipelineDeps, answer: Steps['answer']): Eventually<Reply> =>
  whenReady(attempt(call, deps, answer), (ready) => decorate(call, ready, deps.policy))

/**
 * The response to a request that belongs to no namespace and is not recorded. Without `request`: to bytes that are not a
 * valid HTTP request.
 */
export function refused(
  problem: ApiError,
  at: number,
  { contract, worlds, policy }: PipelineDeps,
  request = requestWith('GET', '/', []),
): Reply {
  const call = resolve(unrecordedCommand(request, at), contract, worlds.default)
  call.id = 'req_000000'
  return { ...decorate(call, errorAnswer(problem), policy), close: true }
}

/** Converts an error, thrown or rejected, into an answer. */
export function attempt(call: Call, deps: PipelineDeps, answer: Steps['answer']): Eventually<Answer> {
  return orElse(
    () => answer(call),
    (error) => refusalOf(call, error, deps),
  )
}

function delay(call: Call, { latency, worlds, sleep }: PipelineDeps, answered: Eventually<Answer>) {
  const ofKey = call.caller?.trigger?.late ?? 0
  const ofOption = latency && call.inside ? drawLatency(latency, call.world.chance) : 0
  if (ofKey + ofOption === 0) return answered
  countDelayed(call, worlds)
  const ready = counted(call, worlds, answered)
  return sleep(ofKey + ofOption).then(() => ready)
}

/** Makes the reply and the exchange of an answer. A request from before a rewind gets a refusal that is not kept. */
function finish(call: Call, answer: Answer, deps: PipelineDeps, steps: Steps): Eventually<Reply> {
  deps.worlds.delayedBytes -= call.delayed
  const rewound = rewoundMeanwhile(call)
  if (rewound) {
    call.command.dropConnection()
    return decorate(call, answer.reply ? answer : errorAnswer(rewound), deps.policy)
  }
  const reply = decorate(call, answer, deps.policy)
  const made = (steps.exchangeOf ?? exchangeOf)(call, answer, reply, deps.realTime())
  return whenReady(made, (exchange) => keep(call, reply, exchange, deps))
}

/** Keeps the exchange. The reply waits until its changes are durable, and the answer that ended its hold was sent. */
function keep(call: Call, reply: Reply, exchange: Exchange, deps: PipelineDeps): Eventually<Reply> {
  const { command, world, sentKey: key, decision, caller, retryAfter } = call
  if (key !== undefined && decision !== 'refused:key') world.meters.answered(key, call.now, retryAfter)
  if (key !== undefined && !caller) world.keys.secrets.addSent(key)
  // A command that is applied again keeps its exchange: its change may have failed to be stored.
  if (isThere(call, deps)) world.end(command, command.exchange ?? exchange)
  else command.dropConnection()
  const onSent = release(call, reply)
  const withOnSent = (ready: Reply): Reply => (onSent ? { ...ready, onSent } : ready)
  const { durable, sentBefore } = call
  const due = durable && sentBefore ? Promise.all([durable, sentBefore]) : (durable ?? sentBefore)
  if (!due) return withOnSent(record(reply, exchange, deps))
  return due.then(
    () => withOnSent(record(reply, exchange, deps)),
    (error: unknown) => withOnSent(refuseUndone(call, exchange, error, deps)),
  )
}

/** False if the namespace was dropped meanwhile. */
const isThere = ({ world }: Call, { worlds }: PipelineDeps): boolean => worlds.find(world.name) === world

/** Passes the exchange of a reply to the other recorders. */
function record(reply: Reply, exchange: Exchange, { recorders }: PipelineDeps): Reply {
  for (const recorder of recorders) recorder(exchange)
  return reply
}

/** The changes of the request could not be stored and were undone: it is refused instead, at the instant of `undone`. */
function refuseUndone(call: Call, undone: Exchange, error: unknown, deps: PipelineDeps): Reply {
  if (call.changed?.change === 'created') call.world.duplicates.withdraw(call.id)
  call.duplicateOf = undefined
  call.changed = undefined
  const refusal = refuseInstead(call, error, deps)
  const reply = decorate(call, refusal, deps.policy)
  const exchange = exchangeOf(call, refusal, reply, call.arrived + undone.ms)
  if (isThere(call, deps)) call.world.amend(call.command, exchange)
  return record(reply, exchange, deps)
}

/** The refusal in place of any other answer. A fault rule has then delayed the answer at most. */
function refuseInstead(call: Call, error: unknown, deps: PipelineDeps): Answer {
  if (call.acted && !isDelay(call.acted.effect)) {
    call.acted = undefined
    call.decision = 'served'
  }
  return refusalOf(call, error, deps)
}

function refusalOf(call: Call, error: unknown, { onFailure }: PipelineDeps): Answer {
  if (error instanceof ApiError) {
    call.command.noteRefusal(error)
    if (call.decision === 'served') call.decision = decisionOn(error)
    return errorAnswer(error)
  }
  onFailure(error)
  return errorAnswer(internalError())
}

const decisionOn = ({ code }: ApiError): Call['decision'] => {
  if (code === 'missing_api_key' || code === 'invalid_api_key') return 'refused:key'
  if (code === 'api_key_banned') return 'refused:ban'
  return code === 'rate_limit_exceeded' ? 'refused:window' : 'refused:request'
}
