import type { FaultEffect } from '../contract/generated/control.types.d.ts'
import { jsonOrText } from '../contract/openapi/json.ts'
import { queryParameters } from '../contract/openapi/read-request.ts'
import { rememberLast } from '../text/remember-last.ts'
import { textOf } from '../text/utf8.ts'
import { parseDuration } from '../time/duration.ts'
import { type Eventually, whenReady } from '../time/eventually.ts'
import type { Sleep } from '../time/timer.ts'
import {
  type DelayEffect,
  type FailureEffect,
  type FaultSubject,
  INJECTED,
  isDelay,
} from '../world/faults/fault.ts'
import { DEFAULT_HOLD_TIMEOUT } from '../world/faults/hold.ts'
import { drawLatency, readLatency } from '../world/faults/latency.ts'
import type { Policy } from '../world/policy.ts'
import { isRead, type Reply } from '../world/traffic/message.ts'
import type { Acted } from '../world/traffic/reason.ts'
import type { Worlds } from '../world/worlds.ts'
import { type Answer, awaitChanges, type Call, NO_BODY, reasonOf, refuseIfRewound } from './call.ts'
import { countDelayed, counted } from './delayed.ts'
import { forcedError } from './force.ts'

export interface InjectDeps {
  readonly policy: Policy
  readonly worlds: Pick<Worlds, 'delayedBytes'>
  /** Resolves once every change of a namespace is durable; undefined if none is waiting. Rejects with a 503. */
  readonly durable: (namespace: string) => Promise<void> | undefined
  readonly sleep: Sleep
  /** Real time, in milliseconds since the epoch. */
  readonly realTime: () => number
}

/** The steps that answer a request: `answer` ignores `Prefer`, `preferred` does what it asks for. */
export interface InjectedSteps {
  readonly answer: () => Eventually<Answer>
  readonly preferred: () => Eventually<Answer>
}

/**
 * Applies a fault to a request. `before`: the request is not carried out. `after`: it is carried out, and its answer is
 * lost or replaced, even one that `Prefer` forced. A latency or a hold alone only delays the answer.
 */
export function inject(call: Call, acted: Acted, steps: InjectedSteps, deps: InjectDeps): Eventually<Answer> {
  const { effect } = acted
  if ('hold' in effect) call.world.holds.check()
  call.decision = `fault:${acted.rule}`
  call.acted = acted
  if (isDelay(effect)) {
    const late = drawFailure(call) ? () => failedByKey(call, deps.policy) : steps.preferred
    return delay(call, acted, effect, late, deps)
  }
  const isCut = isRead(call.request) && 'wire' in effect && effect.wire === 'truncate'
  const isCarriedOut = acted.when === 'after' || isCut
  const failure = () =>
    isCarriedOut
      ? whenReady(steps.answer(), (lost) => faultAnswer(call, deps.policy, effect, lost))
      : faultAnswer(call, deps.policy, effect)
  const { latency } = effect
  return latency === undefined ? failure() : delay(call, acted, { latency }, failure, deps)
}

/** The first fault rule that matches a request; it is counted as used. */
export function pickFault(call: Call): Acted | undefined {
  const { world, caller } = call
  if (world.faults.list().length === 0 && !caller?.trigger?.failsEvery) return undefined
  const subject = subjectOf(call)
  const rule = world.faults.pick(subject, call.now, world.chance)
  if (rule) return { rule: rule.id, effect: rule.effect, when: rule.when ?? 'before' }
  return drawFailure(call) ? { rule: subject.key, effect: UNAVAILABLE, when: 'before' } : undefined
}

const UNAVAILABLE = { status: 503 }

/** Whether the trigger key of a request fails it. A rule that only delays the request does not change that. */
function drawFailure({ world, caller }: Call): boolean {
  if (!caller?.trigger?.failsEvery) return false
  return ++world.meters.writable(caller.key).drawn % caller.trigger.failsEvery === 0
}

function delay(
  call: Call,
  acted: Acted,
  effect: DelayEffect,
  answer: () => Eventually<Answer>,
  { worlds, durable, sleep, realTime }: InjectDeps,
): Promise<Answer> {
  countDelayed(call, worlds)
  // A change on which it depends may be undone before the answer is sent.
  const settled = (made: Answer) => {
    awaitChanges(call, durable)
    return made
  }
  const answered = acted.when === 'after' ? counted(call, worlds, whenReady(answer(), settled)) : undefined
  const began = realTime()
  const waited =
    'hold' in effect
      ? hold(call, acted, effect.hold, sleep)
      : sleep(drawLatency(readLatency(effect.latency), call.world.chance))
  return waited.then(() => {
    acted.ms = realTime() - began
    if (answered) return answered
    refuseIfRewound(call)
    return answer()
  })
}

function faultAnswer(call: Call, policy: Policy, effect: FailureEffect, lost?: Answer): Answer {
  if (lost && call.acted) call.acted.lost = { status: lost.status, reason: reasonOf(lost) }
  call.command.isRefused = false
  if (!('status' in effect))
    return { ...(lost ?? forcedError(call, policy, 500, INJECTED)), wire: effect.wire }
  const { status, retryAfter, code, message = INJECTED } = effect
  const error = forcedError(call, policy, status, message, retryAfter)
  return code === undefined ? error : { ...error, refusal: { code, message, isFinal: true } }
}

/** The answer to a request that a rule delayed and its trigger key fails. Its reason names the key, not the rule. */
function failedByKey(call: Call, policy: Policy): Answer {
  const answer = faultAnswer(call, policy, UNAVAILABLE)
  const { code } = reasonOf(answer)
  return { ...answer, reason: { code, message: `the trigger key ${call.caller?.key} failed it` } }
}

/** Holds a request until it is released or its timeout has passed, in real time. */
async function hold(
  call: Call,
  acted: Acted,
  { until, timeout = DEFAULT_HOLD_TIMEOUT }: Extract<FaultEffect, { hold: unknown }>['hold'],
  sleep: Sleep,
): Promise<void> {
  const { id, operation, now, world } = call
  const { rule, when } = acted
  const { holds } = world
  const released = new AbortController()
  const holding = { request: id, operationId: operation?.id, rule, when, until, since: now, timeout }
  const held = holds.add(holding, (sent) => {
    call.sentBefore = sent
    if (!sent) acted.released = true
    released.abort()
  })
  await sleep(parseDuration(timeout), released.signal)
  if (released.signal.aborted) return
  holds.expire(held)
  acted.timeout = timeout
}

/**
 * Lets the requests continue that were held until this one is answered, at the instant of its answer, so that their
 * order does not depend on a connection. Returns a function to call once the reply was sent.
 */
export function release(call: Call, { wire }: Reply): (() => void) | undefined {
  const { holds } = call.world
  if (holds.isEmpty || wire === 'hang') return undefined
  let onSent = () => {}
  const sent = new Promise<void>((resolve) => {
    onSent = resolve
  })
  const stop = call.request.onGone?.(onSent)
  holds.answered(subjectOf(call), call.id, sent)
  return () => {
    // Otherwise the connection would keep a function for each of its requests.
    stop?.()
    onSent()
  }
}

/** The parts of a request that fault rules and holds match. */
const subjectOf = ({ operation, request, path, query, sentKey: key = '' }: Call): FaultSubject => ({
  operationId: operation?.id,
  method: request.method,
  path,
  key,
  parameters: () => parametersOf(query),
  body: () => jsonIn(request.body ?? NO_BODY),
})

// Remembered because a thousand rules may be compared with one request.
const parametersOf = rememberLast(queryParameters)
const jsonIn = rememberLast((body: Uint8Array) => jsonOrText(textOf(body) ?? ''))
