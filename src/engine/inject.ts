import type { FaultEffect, FaultRule } from '../contract/generated/control.types.d.ts'
import { drawLatency, readLatency } from '../domain/traffic/latency.ts'
import type { Answer, Call, Eventually } from './call.ts'
import { whenReady } from './call.ts'
import { forcedError } from './error-answer.ts'

/** Waits, in milliseconds of real time. */
export type Sleep = (milliseconds: number) => Promise<void>

type Injection = Pick<FaultRule, 'id' | 'effect' | 'when'>

/**
 * Lets the first matching fault act on the way of a request. `before` carries nothing out; `after` carries it
 * out and loses or replaces its answer, also one that the request asks for by `Prefer`; a latency only delays
 * what is answered then. Undefined where no fault acts.
 */
export function inject(
  call: Call,
  answer: () => Eventually<Answer>,
  preferred: () => Eventually<Answer>,
  sleep: Sleep,
): Eventually<Answer> | undefined {
  const injection = pick(call)
  if (!injection) return undefined
  call.decision = `fault:${injection.id}`
  const { effect } = injection
  if ('latency' in effect) return delay(call, effect.latency, injection.when === 'after', preferred, sleep)
  if (injection.when === 'after') return whenReady(answer(), (lost) => injected(call, effect, lost))
  const isRead = call.request.method === 'GET' || call.request.method === 'HEAD'
  const truncated = 'wire' in effect && effect.wire === 'truncate'
  return truncated && isRead
    ? whenReady(answer(), (cut) => injected(call, effect, cut))
    : injected(call, effect)
}

const INJECTED = 'This error was injected.'

function pick(call: Call): Injection | undefined {
  const { world, operation, request, path, caller, sentKey = '' } = call
  const { key, trigger } = caller ?? { key: sentKey, trigger: undefined }
  const subject = { operationId: operation?.id, method: request.method, path, key }
  const rule = world.faults.pick(subject, world.chance)
  if (rule) return rule
  const every = trigger?.failsEvery
  return every && world.failsNow(key, every) ? { id: key, effect: { status: 503 } } : undefined
}

async function delay(
  call: Call,
  latency: string,
  after: boolean,
  answer: () => Eventually<Answer>,
  sleep: Sleep,
): Promise<Answer> {
  const wait = () => sleep(drawLatency(readLatency(latency), call.world.chance))
  if (!after) await wait()
  const answered = await answer()
  if (after) await wait()
  return answered
}

function injected(call: Call, effect: Exclude<FaultEffect, { latency: string }>, lost?: Answer): Answer {
  if (!('status' in effect)) return { ...(lost ?? forcedError(call, 500, INJECTED)), wire: effect.wire }
  const { status, retryAfter, code, message = INJECTED } = effect
  const error = forcedError(call, status, message, retryAfter)
  return code === undefined ? error : { ...error, refusal: { code, message } }
}
