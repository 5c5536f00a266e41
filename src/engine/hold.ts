import type { FaultEffect } from '../contract/generated/control.types.d.ts'
import type { FaultSubject } from '../domain/traffic/fault.ts'
import { DEFAULT_HOLD_TIMEOUT, type Hold } from '../domain/traffic/hold.ts'
import type { Reply } from '../domain/traffic/message.ts'
import { parseDuration } from '../domain/world/duration.ts'
import type { Call } from './call.ts'
import type { Sleep } from './inject.ts'

type HoldEffect = Extract<FaultEffect, { hold: unknown }>

/** Holds a request until its hold is released or its time is over, in real time. */
export async function hold(
  call: Call,
  { id, effect, when = 'before' }: { id: string; effect: HoldEffect; when?: Hold['when'] | undefined },
  sleep: Sleep,
): Promise<void> {
  const { until, timeout = DEFAULT_HOLD_TIMEOUT } = effect.hold
  const { holds } = call.world
  const released = new AbortController()
  const held = holds.add(
    { request: call.id, operationId: call.operation?.id, rule: id, when, until, since: call.now, timeout },
    () => released.abort(),
  )
  await sleep(parseDuration(timeout), released.signal)
  if (released.signal.aborted) return
  holds.expire(held)
  call.holdTimeout = timeout
}

/** The reply to a request; once it has been sent, the requests that were held until then continue. */
export function releasing(call: Call, reply: Reply): Reply {
  const { holds } = call.world
  if (holds.list.length === 0 || reply.wire === 'hang') return reply
  return { ...reply, onSent: () => holds.answered(subjectOf(call), call.id) }
}

/** What fault rules and holds are matched against. */
export function subjectOf({ operation, request, path, caller, sentKey = '' }: Call): FaultSubject {
  return { operationId: operation?.id, method: request.method, path, key: caller?.key ?? sentKey }
}
