import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY, MINUTE, SECOND } from '../../../src/time/instant.ts'
import {
  type ChargeResult,
  charge,
  earlyBy,
  liftBan,
  type Meter,
  newMeter,
  quota,
  refill,
  startBan,
  waitAfter,
} from '../../../src/world/limits/meter.ts'
import type { Plan } from '../../../src/world/plan.ts'
import { policyWith } from '../policy.ts'

const NOON = Date.parse('2026-11-19T12:34:56Z')
const MIDNIGHT = Date.parse('2026-11-20T00:00:00Z')
const FREE: Plan = { perMinute: 60, perDay: 1000 }
const rules = policyWith()

/** A key of a namespace. */
interface Key {
  readonly meter: Meter
}

function call(
  times: number,
  key: Key = { meter: newMeter() },
  at = NOON,
  plan = FREE,
  policy = rules,
): ChargeResult {
  let last: ChargeResult | undefined
  for (let i = 0; i < times; i++) {
    last = charge(key.meter, plan, at, policy)
  }
  return last as ChargeResult
}

describe('a window', () => {
  it('admits exactly the requests of the plan and counts down to zero', () => {
    const key = { meter: newMeter() }
    expect(call(1, key).quota).toEqual({ limit: 60, remaining: 59, resetsAt: NOON + MINUTE })
    expect(call(59, key)).toMatchObject({ outcome: 'counted', quota: { remaining: 0 } })
    expect(call(1, key)).toMatchObject({ outcome: 'window', span: 'minute', quota: { remaining: 0 } })
  })

  it('opens with the first request after the last one closed', () => {
    const key = { meter: newMeter() }
    call(61, key)
    expect(call(1, key, NOON + MINUTE - 1).outcome).toBe('window')
    expect(call(1, key, NOON + 90 * SECOND)).toMatchObject({
      outcome: 'counted',
      quota: { remaining: 59, resetsAt: NOON + 150 * SECOND },
    })
  })

  it('is opened by the first admitted request, not by a refused one', () => {
    const plan: Plan = { perMinute: 5, perDay: 40 }
    const key = { meter: newMeter() }
    const noon = Date.parse('2026-11-19T12:00:00Z')
    expect(call(10, key, noon, plan).outcome).toBe('ban')
    expect(call(1, key, noon + 61 * SECOND, plan).outcome).toBe('ban')
    expect(call(1, key, noon + 120 * SECOND, plan)).toMatchObject({
      outcome: 'counted',
      quota: { remaining: 4, resetsAt: noon + 180 * SECOND },
    })
    expect(call(4, key, noon + 121 * SECOND, plan).outcome).toBe('counted')
    expect(call(1, key, noon + 122 * SECOND, plan).outcome).toBe('window')
  })

  it('is not opened by a request that the window of a day refuses', () => {
    const plan: Plan = { perMinute: 5, perDay: 5 }
    const key = { meter: newMeter() }
    call(5, key, NOON, plan)
    expect(call(1, key, MIDNIGHT - 10 * SECOND, plan).outcome).toBe('window')
    call(1, key, MIDNIGHT + 20 * SECOND, plan)
    expect(quota(key.meter, plan, MIDNIGHT + 21 * SECOND, 'minute', rules).resetsAt).toBe(
      MIDNIGHT + 80 * SECOND,
    )
  })

  it('that is not open has an end, also in clock mode', () => {
    const onClock = policyWith({ 'limits.minute': 'clock' })
    expect(quota(newMeter(), FREE, NOON, 'minute', rules).resetsAt).toBe(NOON + MINUTE)
    expect(quota(newMeter(), FREE, NOON, 'minute', onClock).resetsAt).toBe(Date.parse('2026-11-19T12:35:00Z'))
  })

  it('opens at full minutes if the policy says so', () => {
    const result = call(1, { meter: newMeter() }, NOON, FREE, policyWith({ 'limits.minute': 'clock' }))
    expect(result.quota.resetsAt).toBe(Date.parse('2026-11-19T12:35:00Z'))
  })

  it('of a day closes at midnight UTC, and is reported when it is the closer one', () => {
    const key = { meter: newMeter() }
    for (let minute = 0; minute < 16; minute++) call(60, key, NOON + minute * MINUTE)
    expect(call(1, key, NOON + 16 * MINUTE)).toMatchObject({
      span: 'day',
      quota: { limit: 1000, remaining: 39, resetsAt: MIDNIGHT },
    })
    call(39, key, NOON + 16 * MINUTE)
    expect(call(1, key, NOON + 16 * MINUTE)).toMatchObject({ outcome: 'window', span: 'day' })
    expect(call(1, key, MIDNIGHT).outcome).toBe('counted')
  })

  it('that resets later refuses if both are used up', () => {
    const plan: Plan = { perMinute: 5, perDay: 5 }
    expect(call(6, { meter: newMeter() }, NOON, plan).quota.resetsAt).toBe(MIDNIGHT)
    const late = MIDNIGHT - 10 * SECOND
    expect(call(6, { meter: newMeter() }, late, plan).quota.resetsAt).toBe(late + MINUTE)
  })

  it('of a day is reported if both are equally close', () => {
    expect(call(1, { meter: newMeter() }, NOON, { perMinute: 10, perDay: 10 }).span).toBe('day')
  })

  it('without a limit has the largest int32 as its limit, and never refuses', () => {
    const result = call(5000, { meter: newMeter() }, NOON, { perMinute: null, perDay: null })
    expect(result).toMatchObject({ outcome: 'counted', quota: { limit: 2147483647, remaining: 2147483647 } })
  })

  it('has the limit of a changed plan at once', () => {
    const key = { meter: newMeter() }
    call(60, key)
    expect(quota(key.meter, { perMinute: 300, perDay: 10000 }, NOON, 'minute', rules).remaining).toBe(240)
    expect(quota(key.meter, { perMinute: 10, perDay: 10000 }, NOON, 'minute', rules).remaining).toBe(0)
  })
})

describe('a ban', () => {
  it('starts with the refusal that reaches the limit within a minute', () => {
    const key = { meter: newMeter() }
    expect(call(119, key)).toMatchObject({ outcome: 'window' })
    expect(call(1, key)).toMatchObject({
      outcome: 'ban',
      span: 'minute',
      startsBan: true,
      quota: { limit: 60, remaining: 0, resetsAt: NOON + 120 * SECOND },
    })
  })

  it('is not prolonged by calls, ends, and resets the count of refusals', () => {
    const key = { meter: newMeter() }
    call(120, key)
    expect(call(500, key, NOON + 119 * SECOND)).toMatchObject({ outcome: 'ban', startsBan: false })
    expect(call(1, key, NOON + 120 * SECOND)).toMatchObject({
      outcome: 'counted',
      quota: { remaining: 59 },
    })
  })

  it('doubles within a day of the last one, up to an hour, and is short again afterwards', () => {
    const key = { meter: newMeter() }
    const lengths: number[] = []
    let now = NOON
    for (let ban = 0; ban < 7; ban++) {
      refill(key.meter)
      call(120, key, now)
      lengths.push((key.meter.ban.until - now) / SECOND)
      now = key.meter.ban.until
    }
    expect(lengths).toEqual([120, 240, 480, 960, 1920, 3600, 3600])
    now += DAY
    refill(key.meter)
    call(120, key, now)
    expect((key.meter.ban.until - now) / SECOND).toBe(120)
  })

  it('that was lifted ended then: a day later the next one is short again', () => {
    const length = (wait: number) => {
      const key = { meter: newMeter() }
      call(120, key)
      liftBan(key.meter, { now: NOON + SECOND })
      call(120, key, NOON + SECOND + wait)
      return (key.meter.ban.until - key.meter.ban.from) / SECOND
    }
    expect(length(DAY - 1)).toBe(240)
    expect(length(DAY)).toBe(120)
  })

  it('that is lifted before there was one does not change the first one', () => {
    const key = { meter: newMeter() }
    liftBan(key.meter, { now: NOON })
    expect(call(120, key).quota.resetsAt).toBe(NOON + 120 * SECOND)
  })

  it('does not start if the policy disables it, and starts earlier if the policy says so', () => {
    expect(
      call(1000, { meter: newMeter() }, NOON, FREE, policyWith({ 'ban.enabled': 'false' })).outcome,
    ).toBe('window')
    expect(call(63, { meter: newMeter() }, NOON, FREE, policyWith({ 'ban.after': '3' })).outcome).toBe('ban')
  })

  it('lasts until the used up window resets', () => {
    const key = { meter: newMeter() }
    const plan: Plan = { perMinute: 60, perDay: 60 }
    expect(call(120, key, NOON, plan).quota.resetsAt).toBe(MIDNIGHT)
  })

  it('of a control call ends after its duration', () => {
    const key = { meter: newMeter() }
    call(1, key)
    startBan(key.meter, NOON, 5 * SECOND)
    expect(call(1, key).quota.resetsAt).toBe(NOON + 5 * SECOND)
    expect(call(1, key, NOON + 5 * SECOND).outcome).toBe('counted')
  })
})

describe('a trigger', () => {
  it.each([
    ['minute', NOON + MINUTE],
    ['day', MIDNIGHT],
  ] as const)('uses up the %s at the first call and never leads to a ban', (span, recovered) => {
    const key = { meter: newMeter(span) }
    expect(call(1, key)).toMatchObject({ outcome: 'window', span, quota: { resetsAt: recovered } })
    expect(call(500, key)).toMatchObject({ outcome: 'window' })
    expect(call(60, key, recovered)).toMatchObject({ outcome: 'counted', quota: { remaining: 0 } })
    expect(call(60, key, recovered)).toMatchObject({ outcome: 'ban' })
  })

  it('bans at the first call', () => {
    const key = { meter: newMeter('ban') }
    expect(call(1, key)).toMatchObject({
      outcome: 'ban',
      startsBan: true,
      quota: { resetsAt: NOON + 120 * SECOND },
    })
    expect(call(1, key)).toMatchObject({ outcome: 'ban', startsBan: false })
    expect(call(1, key, NOON + 120 * SECOND).outcome).toBe('counted')
  })
})

const plans = fc.record({
  perMinute: fc.option(fc.integer({ min: 1, max: 20 })),
  perDay: fc.option(fc.integer({ min: 1, max: 60 })),
})
const steps = fc.array(fc.integer({ min: 0, max: 40 * SECOND }), { maxLength: 300 })

describe('for any sequence of requests and times', () => {
  it('no window admits more requests than its plan', () => {
    fc.assert(
      fc.property(plans, steps, fc.integer({ min: 0, max: DAY }), (plan, gaps, start) => {
        const key = { meter: newMeter() }
        const served: { minute: number; day: number }[] = []
        let now = NOON + start
        for (const gap of gaps) {
          now += gap
          const result = call(1, key, now, plan)
          if (result.outcome === 'counted')
            served.push({ minute: key.meter.minute.opened, day: Math.floor(now / DAY) })
        }
        const most = (values: number[]) =>
          Math.max(0, ...values.map((value) => values.filter((other) => other === value).length))
        expect(most(served.map(({ minute }) => minute))).toBeLessThanOrEqual(plan.perMinute ?? Infinity)
        expect(most(served.map(({ day }) => day))).toBeLessThanOrEqual(plan.perDay ?? Infinity)
      }),
    )
  })

  it('minute windows never overlap, so that any minute is in at most two of them', () => {
    fc.assert(
      fc.property(steps, (gaps) => {
        const key = { meter: newMeter() }
        const opened = new Set<number>()
        let now = NOON
        for (const gap of gaps) {
          now += gap
          call(1, key, now)
          opened.add(key.meter.minute.opened)
        }
        const starts = [...opened]
        for (const [i, start] of starts.slice(1).entries())
          expect(start - (starts[i] as number)).toBeGreaterThanOrEqual(MINUTE)
      }),
    )
  })

  it('Remaining is never negative, Reset is never in the past, and a request at Reset is admitted', () => {
    fc.assert(
      fc.property(plans, steps, (plan, gaps) => {
        const key = { meter: newMeter() }
        let now = NOON
        for (const gap of gaps) {
          now += gap
          const result = call(1, key, now, plan)
          expect(result.quota.remaining).toBeGreaterThanOrEqual(0)
          expect(result.quota.resetsAt).toBeGreaterThan(now)
          if (result.outcome === 'counted') continue
          now = result.quota.resetsAt
          expect(call(1, key, now, plan).outcome).toBe('counted')
        }
      }),
    )
  })
})

describe('a clock of the machine that was set back', () => {
  const before = NOON - 3 * 60 * MINUTE

  it('reopens the windows', () => {
    const key = { meter: newMeter() }
    call(61, key)
    expect(call(1, key, before)).toMatchObject({
      outcome: 'counted',
      quota: { remaining: 59, resetsAt: before + MINUTE },
    })
  })

  it('limits a ban to its duration', () => {
    const key = { meter: newMeter() }
    startBan(key.meter, NOON, 120 * SECOND)
    const { outcome, quota: reported } = call(1, key, before)
    expect([outcome, reported.resetsAt]).toEqual(['ban', before + 120 * SECOND])
    expect(call(1, key, before + 120 * SECOND).outcome).toBe('counted')
  })

  it('moves the day in which the next ban is longer', () => {
    const key = { meter: newMeter() }
    call(120, key)
    call(1, key, before)
    const later = before + 120 * SECOND + DAY
    expect(call(120, key, later).quota.resetsAt).toBe(later + 120 * SECOND)
  })
})

describe('a key with a Retry-After', () => {
  const waiting = { ...newMeter(), wait: waitAfter(newMeter(), NOON, 60) }

  it('is early until the wait is over, and not before it began', () => {
    expect(earlyBy(waiting, NOON + 40 * SECOND)).toEqual({ allowedAt: NOON + MINUTE, earlyMs: 20 * SECOND })
    expect([NOON + MINUTE, NOON - 1].map((now) => earlyBy(waiting, now))).toEqual([undefined, undefined])
  })

  it('keeps its wait after an early retry, until a new Retry-After replaces it or it is over', () => {
    expect(waitAfter(waiting, NOON + 1, undefined)).toBe(waiting.wait)
    expect(waitAfter(waiting, NOON + 1, 2)).toEqual({ from: NOON + 1, until: NOON + 1 + 2 * SECOND })
    expect(waitAfter(waiting, NOON + MINUTE, undefined)).toBeUndefined()
  })

  it('need not wait after its windows are refilled', () => {
    const meter = { ...waiting }
    refill(meter)
    expect(earlyBy(meter, NOON + 1)).toBeUndefined()
  })
})
