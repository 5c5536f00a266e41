import type { FaultEffect } from '../contract/generated/control.types.d.ts'
import { parseDuration } from '../time/duration.ts'
import type { Sleep } from '../time/timer.ts'
import type { FaultSubject } from '../world/faults/fault.ts'
import { DEFAULT_HOLD_TIMEOUT } from '../world/faults/hold.ts'
import type { Reply } from '../world/traffic/message.ts'
import type { Acted } from '../world/traffic/reason.ts'
import type { Call } from './call.ts'

type HoldEffect = Extract<FaultEffect, { hold: unknown }>

/** Holds a request until it is released or its timeout has passed, in real time. */
export async function hold(
  call: Call,
  { acted, effect }: { readonly acted: Acted; readonly effect: HoldEffect },
  sleep: Sleep,
): Promise<void> {
  const { until, timeout = DEFAULT_HOLD_TIMEOUT } = effect.hold
  const { holds } = call.world
  const released = new AbortController()
  const held = holds.add(
    {
      request: call.id,
      operationId: call.operation?.id,
      rule: acted.rule,
      when: acted.when,
      until,
      since: call.now,
      timeout,
    },
    (sent) => {
      call.sentBefore = sent
      released.abort()
    },
  )
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
  if (holds.list.length === 0 || wire === 'hang') return undefined
  let onSent = () => {}
  const sent = new Promise<void>((resolve) => {
    onSent = resolve
  })
  call.request.onGone?.(onSent)
  holds.answered(subjectOf(call), call.id, sent)
  return onSent
}

/** The parts of a request that fault rules and holds match. */
export function subjectOf({ operation, request, path, caller, sentKey = '' }: Call): FaultSubject {
  return { operationId: operation?.id, method: request.method, path, key: caller?.key ?? sentKey }
}
