import { MINUTE, SECOND } from '../time/instant.ts'
import { ApiError } from '../world/api-error.ts'
import { type ChargeResult, charge, earlyBy, type Quota } from '../world/limits/meter.ts'
import { UNLIMITED } from '../world/plan.ts'
import type { Policy } from '../world/policy.ts'
import type { Call, Caller } from './call.ts'

/** Charges the windows of the caller, or refuses with 429 (interface, section 8). */
export function meter(call: Call, { key, plan }: Caller, policy: Policy): void {
  const own = call.world.meters.writable(key)
  call.early = earlyBy(own, call.now)
  const result = charge(own, policy.plans[plan], call.now, policy)
  call.charged = result
  if (result.outcome === 'counted') return
  call.retryAfter = secondsUntil(result.quota.resetsAt, call.now)
  throw refusal(result, call.retryAfter, policy)
}

/** The quota in the headers of a request without a valid key: an unused minute of the Free plan. */
export function anonymousQuota(policy: Policy, now: number): Quota {
  const limit = policy.plans.free.perMinute ?? UNLIMITED
  return { limit, remaining: limit, resetsAt: now + MINUTE }
}

/** Whole seconds until an instant, at least one. */
export const secondsUntil = (instant: number, now: number): number =>
  Math.max(1, Math.ceil((instant - now) / SECOND))

function refusal({ outcome, span, quota }: ChargeResult, seconds: number, policy: Policy): ApiError {
  const retry = `Retry after ${countOf(seconds, 'second')}.`
  const headers = ['Retry-After', String(seconds)]
  // A trigger key can use up a window that has no limit.
  const limit = quota.limit === UNLIMITED ? 'requests' : countOf(quota.limit, 'request')
  return outcome === 'ban'
    ? new ApiError(
        'api_key_banned',
        `The API key is temporarily banned. ${retry}`,
        headers,
        policy.ban.status,
      )
    : new ApiError('rate_limit_exceeded', `The limit of ${limit} per ${span} is used up. ${retry}`, headers)
}

/** Without separators of thousands: clients may read these numbers from the message. */
const countOf = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`
