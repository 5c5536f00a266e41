import type { FaultEffect, FaultRule } from '../contract/generated/control.types.d.ts'
import { type Eventually, whenReady } from '../time/eventually.ts'
import { INJECTED } from '../world/faults/fault.ts'
import { drawLatency, readLatency } from '../world/faults/latency.ts'
import type { Policy } from '../world/policy.ts'
import { type Answer, type Call, refuseIfRewound } from './call.ts'
import { forcedError } from './error-answer.ts'
import { hold, subjectOf } from './hold.ts'

/** Waits, in milliseconds of real time; no longer than until a signal aborts. */
export type Sleep = (milliseconds: number, ...signals: AbortSignal[]) => Promise<void>

type Injection = Pick<FaultRule, 'id' | 'effect' | 'when'>

/**
 * Applies the first matching fault to a request. With `before` the request is not carried out; with `after` it is, and
 * its answer is lost or replaced, also one that `Prefer` asks for; a latency or a hold only delays the answer. Undefined where no fault acts.
 */
export function inject(
  call: Call,
  answer: () => Eventually<Answer>,
  preferred: () => Eventually<Answer>,
  sleep: Sleep,
  policy: Policy,
): Eventually<Answer> | undefined {
  const injection = pick(call)
  if (!injection) return undefined
  call.decision = `fault:${injection.id}`
  const { effect } = injection
  const isAfter = injection.when === 'after'
  if ('latency' in effect)
    return delayed(call, () => latency(call, effect.latency, sleep), isAfter, preferred)
  if ('hold' in effect)
    return delayed(call, () => hold(call, { ...injection, effect }, sleep), isAfter, preferred)
  if (isAfter) return whenReady(answer(), (lost) => injected(call, policy, effect, lost))
  const isRead = call.request.method === 'GET' || call.request.method === 'HEAD'
  const truncated = 'wire' in effect && effect.wire === 'truncate'
  return truncated && isRead
    ? whenReady(answer(), (cut) => injected(call, policy, effect, cut))
    : injected(call, policy, effect)
}

function pick(call: Call): Injection | undefined {
  const { world, caller } = call
  const subject = subjectOf(call)
  const rule = world.faults.pick(subject, call.now, world.chance)
  if (rule) return rule
  const every = caller?.trigger?.failsEvery
  return every && world.failsNow(subject.key, every)
    ? { id: subject.key, effect: { status: 503 } }
    : undefined
}

const latency = (call: Call, text: string, sleep: Sleep): Promise<void> =>
  sleep(drawLatency(readLatency(text), call.world.chance))

function delayed(
  call: Call,
  wait: () => Promise<void>,
  isAfter: boolean,
  answer: () => Eventually<Answer>,
): Promise<Answer> {
  if (!isAfter) {
    return wait().then(() => {
      refuseIfRewound(call)
      return answer()
    })
  }
  const answered = answer()
  return wait().then(() => answered)
}

function injected(
  call: Call,
  policy: Policy,
  effect: Exclude<FaultEffect, { latency: string } | { hold: unknown }>,
  lost?: Answer,
): Answer {
  if (!('status' in effect))
    return { ...(lost ?? forcedError(call, policy, 500, INJECTED)), wire: effect.wire }
  const { status, retryAfter, code, message = INJECTED } = effect
  const error = forcedError(call, policy, status, message, retryAfter)
  return code === undefined ? error : { ...error, refusal: { code, message } }
}
