import { describe, expect, it } from 'vitest'
import { anonymousQuota, meter, secondsUntil } from '../../src/api/meter.ts'
import type { ApiError } from '../../src/world/api-error.ts'
import { UNLIMITED } from '../../src/world/plan.ts'
import { policyWith } from '../world/policy.ts'
import { callOf, NOW, newWorlds } from './call.ts'

it.each([
  [1000, 1],
  [1001, 2],
  [1, 1],
  [0, 1],
  [-5000, 1],
])('a wait of %i ms is a Retry-After of %i s', (milliseconds, seconds) => {
  expect(secondsUntil(NOW + milliseconds, NOW)).toBe(seconds)
})

it('without a key the limits are those of an unused minute of the Free plan', () => {
  expect(anonymousQuota(policyWith(), NOW)).toEqual({ limit: 60, remaining: 60, resetsAt: NOW + 60_000 })
  expect(anonymousQuota(policyWith({ 'plans.free': 'unlimited/5' }), NOW).remaining).toBe(UNLIMITED)
})

describe('a refusal', () => {
  function refused(
    key: string,
    armed: 'minute' | 'day' | 'ban' | undefined,
    decisions = {},
  ): ApiError | undefined {
    const [worlds, policy] = [newWorlds(), policyWith(decisions)]
    const call = callOf({}, { worlds })
    call.world.meters.writable(key).armed = armed
    try {
      meter(call, { key, plan: 'free', trigger: undefined }, policy)
      return undefined
    } catch (error) {
      return error as ApiError
    }
  }

  it('has a message with the limit, and Retry-After', () => {
    expect(refused('a', undefined)).toBeUndefined()
    expect(refused('a', 'minute')).toMatchObject({
      status: 429,
      headers: ['Retry-After', '60'],
      message: 'The limit of 60 requests per minute is used up. Retry after 60 seconds.',
    })
    expect(refused('a', 'day', { 'plans.free': '60/1' })?.message).toMatch(/^The limit of 1 request per day/)
  })

  it('by a window without a limit has no number in its message', () => {
    expect(refused('a', 'minute', { 'plans.free': 'unlimited/5' })?.message).toMatch(
      /^The limit of requests per minute/,
    )
  })

  it('by a ban has the status of the decision', () => {
    expect(refused('a', 'ban')).toMatchObject({
      status: 429,
      code: 'api_key_banned',
      headers: ['Retry-After', '120'],
    })
    expect(refused('a', 'ban', { 'ban.status': 403 })?.status).toBe(403)
  })
})
