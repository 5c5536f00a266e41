import { DAY, MINUTE, SECOND } from '../../time/instant.ts'
import type { Armed } from '../keys/built-in-keys.ts'
import { type Plan, UNLIMITED } from '../plan.ts'
import type { Policy } from '../policy.ts'

export type Span = 'minute' | 'day'

/**
 * The used requests of a key's windows, its ban, and everything else that its next answer depends on: an immutable value, which
 * every charge replaces. All instants in milliseconds since the epoch.
 */
export interface Meter {
  readonly minute: Window
  readonly day: Window
  readonly refusals: { readonly opened: number; readonly count: number }
  readonly ban: {
    readonly from: number
    readonly until: number
    readonly length: number
    readonly bannedAgain: number
  }
  /** The state of a trigger key at its first call. */
  readonly armed: Armed | undefined
  /** When the last refusal was sent, and from when on it allowed a retry; undefined where nothing is to be waited for. */
  readonly wait: { readonly from: number; readonly until: number } | undefined
  /** How many answers a flaky key has drawn. */
  readonly drawn: number
}

interface Window {
  readonly opened: number
  /** Infinity: used up from outside, whatever the plan allows. */
  readonly used: number
}

export interface Quota {
  readonly limit: number
  readonly remaining: number
  readonly resetsAt: number
}

/** The result of metering a request; the limit headers describe `quota`, which is that of `span`. */
export interface ChargeResult {
  readonly outcome: 'counted' | 'window' | 'ban'
  readonly span: Span
  readonly quota: Quota
  /** Both windows afterwards. */
  readonly minute: Quota
  readonly day: Quota
  /** The window that this first call of a trigger key used up. */
  readonly triggered: Span | undefined
  /** True on the refusal that starts a ban. */
  readonly startsBan: boolean
}

/** Until when the key is refused; undefined where it was not. */
export const refusesUntil = ({ outcome, quota }: ChargeResult): number | undefined =>
  outcome === 'counted' ? undefined : quota.resetsAt

export interface Charged {
  readonly meter: Meter
  readonly result: ChargeResult
}

type Rules = Pick<Policy, 'limits' | 'ban'>

const LONGEST_BAN = 3600 * SECOND
const SPANS = ['minute', 'day'] as const satisfies Span[]
const LENGTH: Readonly<Record<Span, number>> = { minute: MINUTE, day: DAY }

const UNUSED: Window = { opened: -Infinity, used: 0 }
const NO_REFUSALS: Meter['refusals'] = { opened: -Infinity, count: 0 }
const NO_BAN: Meter['ban'] = { from: -Infinity, until: -Infinity, length: 0, bannedAgain: -Infinity }

export const newMeter = (armed?: Meter['armed']): Meter => ({
  minute: UNUSED,
  day: UNUSED,
  refusals: NO_REFUSALS,
  ban: NO_BAN,
  armed,
  wait: undefined,
  drawn: 0,
})

/**
 * Charges one request at `now`, or refuses it: while a ban lasts, or when a window is used up (interface,
 * section 8). A refusal costs nothing and opens no window, but too many within a minute start a ban.
 */
export function charge(before: Meter, plan: Plan, now: number, rules: Rules): Charged {
  const { armed } = before
  const meter = trigger(reanchor(before, now), now, rules)
  const triggered = armed === 'ban' ? undefined : armed
  const isBanned = now < meter.ban.until
  if (!isBanned && SPANS.every((span) => hasLeft(meter, plan, now, span, rules))) {
    const after = {
      ...meter,
      minute: used(meter, 'minute', now, rules, 1),
      day: used(meter, 'day', now, rules, 1),
    }
    return { meter: after, result: countedResult(after, plan, now, rules, triggered) }
  }
  const minute = quota(meter, plan, now, 'minute', rules)
  const day = quota(meter, plan, now, 'day', rules)
  if (isBanned) return { meter, result: { ...banned(meter, minute, day, armed === 'ban'), triggered } }
  const refused = refuse(meter, now, rules)
  if (refused !== meter && refused.refusals.count >= (rules.ban.after ?? plan.perMinute ?? UNLIMITED)) {
    const after = banAnew(refused, now, rules)
    return { meter: after, result: { ...banned(after, minute, day, true), triggered } }
  }
  const span = exhaustedSpan(minute, day) ?? 'minute'
  const result: ChargeResult = {
    outcome: 'window',
    span,
    quota: span === 'minute' ? minute : day,
    minute,
    day,
    triggered,
    startsBan: false,
  }
  return { meter: refused, result }
}

/** By how many milliseconds a request at `now` is too early, if its key must still wait. */
export function earlyBy({ wait }: Meter, now: number): { allowedAt: number; earlyMs: number } | undefined {
  // An instant before the wait began: the clock was set back.
  if (!wait || now < wait.from || now >= wait.until) return undefined
  return { allowedAt: wait.until, earlyMs: wait.until - now }
}

/** After a request at `now`: its key must wait `retryAfter` seconds; without them an earlier wait continues until it is over. */
export function withWait(meter: Meter, now: number, retryAfter: number | undefined): Meter {
  if (retryAfter !== undefined) return { ...meter, wait: { from: now, until: now + retryAfter * SECOND } }
  return meter.wait && !earlyBy(meter, now) ? { ...meter, wait: undefined } : meter
}

/** One answer more of a flaky key. */
export const draw = (meter: Meter): Meter => ({ ...meter, drawn: meter.drawn + 1 })

/** The remaining requests of a window at `now`, without using one. */
export function quota(meter: Meter, plan: Plan, now: number, span: Span, rules: Rules): Quota {
  const { opened, used } = windowAt(meter, span, now, rules)
  const limit = limitOf(plan, span)
  return { limit, remaining: remaining(limit, used), resetsAt: opened + LENGTH[span] }
}

const hasLeft = (meter: Meter, plan: Plan, now: number, span: Span, rules: Rules): boolean =>
  remaining(limitOf(plan, span), windowAt(meter, span, now, rules).used) > 0

const limitOf = (plan: Plan, span: Span): number =>
  (span === 'minute' ? plan.perMinute : plan.perDay) ?? UNLIMITED

const remaining = (limit: number, used: number): number =>
  limit === UNLIMITED && used < Infinity ? UNLIMITED : Math.max(0, limit - used)

/** Bans from `now` on, for `milliseconds`. */
export const startBan = (meter: Meter, now: number, milliseconds: number): Meter => ({
  ...meter,
  ban: { ...meter.ban, from: now, until: now + milliseconds },
  refusals: NO_REFUSALS,
  armed: withoutBan(meter),
})

export const liftBan = (meter: Meter): Meter => ({
  ...meter,
  ban: { ...meter.ban, until: -Infinity },
  armed: withoutBan(meter),
  wait: undefined,
})

/** Both windows full again. */
export const refill = (meter: Meter): Meter => ({
  ...meter,
  minute: UNUSED,
  day: UNUSED,
  refusals: NO_REFUSALS,
  armed: onlyBan(meter),
  wait: undefined,
})

/** Leaves `remaining` requests in the window of a minute, and at least as many in that of a day. */
export function leave(meter: Meter, plan: Plan, now: number, remaining: number, rules: Rules): Meter {
  const perMinute = plan.perMinute ?? UNLIMITED
  const { opened } = windowAt(meter, 'minute', now, rules)
  const { day } = meter
  const most = plan.perDay === null ? Infinity : Math.max(0, plan.perDay - remaining)
  return {
    ...meter,
    minute: { opened, used: perMinute - remaining },
    day: { ...day, used: Math.min(day.used, most) },
    armed: onlyBan(meter),
    wait: undefined,
  }
}

/** As at the start, but for a ban and what starts one. */
export const resetLimits = (meter: Meter, armed: Meter['armed']): Meter => ({
  ...refill(meter),
  armed: armed === 'ban' ? meter.armed : armed,
})

/** As at the start, but for the windows and what uses them up. */
export const resetBan = (meter: Meter, armed: Meter['armed']): Meter => ({
  ...meter,
  ban: NO_BAN,
  refusals: NO_REFUSALS,
  armed: armed === 'ban' ? armed : meter.armed,
  wait: undefined,
})

export const forgetWait = (meter: Meter): Meter => (meter.wait ? { ...meter, wait: undefined } : meter)

const withoutBan = ({ armed }: Meter): Meter['armed'] => (armed === 'ban' ? undefined : armed)

const onlyBan = ({ armed }: Meter): Meter['armed'] => (armed === 'ban' ? armed : undefined)

/**
 * The window at `now`: the open one, or the one that a request would open, which begins with that request or on the
 * clock; the day begins at 00:00 UTC.
 */
function windowAt(meter: Meter, span: Span, now: number, { limits }: Rules): Meter[Span] {
  const window = meter[span]
  const length = LENGTH[span]
  if (isWithin(now, window.opened, length)) return window
  const onClock = span === 'day' || limits.minute === 'clock'
  return { opened: onClock ? startOf(now, length) : now, used: 0 }
}

/** A window with so many requests more; it is opened if need be. */
function used(meter: Meter, span: Span, now: number, rules: Rules, requests: number): Window {
  const window = windowAt(meter, span, now, rules)
  return { opened: window.opened, used: window.used + requests }
}

/** False also before it: the clock of the machine was set back, and a later window would last for the whole difference. */
const isWithin = (now: number, from: number, length: number): boolean => now >= from && now < from + length

/** When the ban ends: after a jump back of the clock not later than its length from now. */
export const banEnd = ({ ban }: Meter, now: number): number =>
  now < ban.from ? now + (ban.until - ban.from) : ban.until

/** A ban that began ahead of the clock begins now. */
function reanchor(meter: Meter, now: number): Meter {
  const { ban } = meter
  if (now >= ban.from) return meter
  const bannedAgain = ban.bannedAgain - (ban.from - now)
  return { ...meter, ban: { from: now, until: banEnd(meter, now), length: ban.length, bannedAgain } }
}

/** Applies the limit or ban of a trigger key at its first call. */
function trigger(meter: Meter, now: number, rules: Rules): Meter {
  const { armed } = meter
  if (!armed) return meter
  if (armed === 'ban') return banAnew(meter, now, rules)
  return { ...meter, [armed]: used(meter, armed, now, rules, Infinity), armed: undefined }
}

/** Counts a refusal, unless the window was used up from outside, or nothing bans. */
function refuse(meter: Meter, now: number, rules: Rules): Meter {
  const { refusals } = meter
  const fromOutside = SPANS.some((span) => windowAt(meter, span, now, rules).used === Infinity)
  if (fromOutside || !rules.ban.enabled) return meter
  const { opened, count } = isWithin(now, refusals.opened, MINUTE) ? refusals : { opened: now, count: 0 }
  return { ...meter, refusals: { opened, count: count + 1 } }
}

/** The next ban: it lasts twice as long as the last one within a day of its end, at most an hour. */
function banAnew(meter: Meter, now: number, rules: Rules): Meter {
  const first = rules.ban.seconds * SECOND
  const again = now < meter.ban.bannedAgain
  const length = again ? Math.min(meter.ban.length * 2, Math.max(LONGEST_BAN, first)) : first
  const after = startBan(meter, now, length)
  return { ...after, ban: { ...after.ban, length, bannedAgain: now + length + DAY } }
}

function countedResult(
  meter: Meter,
  plan: Plan,
  now: number,
  rules: Rules,
  triggered: Span | undefined,
): ChargeResult {
  const minute = quota(meter, plan, now, 'minute', rules)
  const day = quota(meter, plan, now, 'day', rules)
  const span = reportedSpan(minute, day, rules)
  return {
    outcome: 'counted',
    span,
    quota: span === 'minute' ? minute : day,
    minute,
    day,
    triggered,
    startsBan: false,
  }
}

function banned({ ban }: Meter, minute: Quota, day: Quota, startsBan: boolean) {
  const exhausted = exhaustedSpan(minute, day)
  const { limit, resetsAt } = exhausted === 'day' ? day : minute
  const until = exhausted ? Math.max(ban.until, resetsAt) : ban.until
  const quota: Quota = { limit, remaining: 0, resetsAt: until }
  return { outcome: 'ban', span: exhausted ?? 'minute', quota, minute, day, startsBan } as const
}

/** The window that is used up; of both, the one that resets later. */
function exhaustedSpan(minute: Quota, day: Quota): Span | undefined {
  if (minute.remaining > 0) return day.remaining > 0 ? undefined : 'day'
  return day.remaining === 0 && day.resetsAt >= minute.resetsAt ? 'day' : 'minute'
}

/** The window that the headers describe: the one with fewer requests left, of two equal ones the longer. */
function reportedSpan(minute: Quota, day: Quota, { limits: { report } }: Rules): Span {
  if (report !== 'closest') return report
  return day.remaining <= minute.remaining ? 'day' : 'minute'
}

const startOf = (now: number, span: number): number => Math.floor(now / span) * span
