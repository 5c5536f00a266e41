import type { Policy } from '../policy.ts'
import { DAY, MINUTE, SECOND } from '../world/instant.ts'
import { type Plan, UNLIMITED } from './plan.ts'

export type Span = 'minute' | 'day'

/** What a key has used of its windows, and its ban. All instants in milliseconds since the epoch. */
export interface Meter {
  /** Infinity: used up from outside, whatever the plan allows. */
  readonly minute: { opened: number; used: number }
  readonly day: { opened: number; used: number }
  readonly refusals: { opened: number; count: number }
  readonly ban: { from: number; until: number; length: number; bannedAgain: number }
  /** What a trigger key meets at its first call. */
  armed: Span | 'ban' | undefined
}

export interface Quota {
  readonly limit: number
  readonly remaining: number
  readonly resetsAt: number
}

/** What a request meets at the meter; the limit headers describe `quota`. */
export interface ChargeResult {
  readonly outcome: 'counted' | 'window' | 'ban'
  readonly span: Span
  readonly quota: Quota
  /** True on the refusal that starts a ban. */
  readonly startsBan: boolean
}

type Rules = Pick<Policy, 'limits' | 'ban'>

const LONGEST_BAN = 3600 * SECOND
const SPANS = ['minute', 'day'] as const satisfies Span[]
const LENGTH: Readonly<Record<Span, number>> = { minute: MINUTE, day: DAY }

export const newMeter = (armed?: Meter['armed']): Meter => ({
  minute: { opened: -Infinity, used: 0 },
  day: { opened: -Infinity, used: 0 },
  refusals: { opened: -Infinity, count: 0 },
  ban: { from: -Infinity, until: -Infinity, length: 0, bannedAgain: -Infinity },
  armed,
})

/**
 * Charges one request at `now`, or refuses it: while a ban lasts, or when a window is used up (interface,
 * section 8). A refusal costs nothing and opens no window, but too many within a minute start a ban.
 */
export function charge(meter: Meter, plan: Plan, now: number, rules: Rules): ChargeResult {
  reanchor(meter, now)
  const startsBan = meter.armed === 'ban'
  spring(meter, now, rules)
  if (now < meter.ban.until) return banned(meter, plan, now, rules, startsBan)
  const exhausted = exhaustedSpan(meter, plan, now, rules)
  if (!exhausted) {
    for (const span of SPANS) use(meter, span, now, rules, 1)
    return verdict('counted', meter, plan, now, rules, reportedSpan(meter, plan, now, rules))
  }
  if (refuse(meter, plan, now, rules)) {
    startBan(meter, now, nextBan(meter, now, rules))
    return banned(meter, plan, now, rules, true)
  }
  return verdict('window', meter, plan, now, rules, exhausted)
}

/** What is left of a window at `now`, without using it. */
export function quota(meter: Meter, plan: Plan, now: number, span: Span, rules: Rules): Quota {
  const { opened, used } = windowAt(meter, span, now, rules)
  const limit = (span === 'minute' ? plan.perMinute : plan.perDay) ?? UNLIMITED
  const unlimited = limit === UNLIMITED
  const remaining = unlimited && used < Infinity ? UNLIMITED : Math.max(0, limit - used)
  return { limit, remaining, resetsAt: opened + LENGTH[span] }
}

/** Bans from `now` on, for `milliseconds`. */
export function startBan(meter: Meter, now: number, milliseconds: number): void {
  meter.ban.from = now
  meter.ban.until = now + milliseconds
  meter.refusals.opened = -Infinity
  meter.refusals.count = 0
}

export function liftBan(meter: Meter): void {
  meter.ban.until = -Infinity
  if (meter.armed === 'ban') meter.armed = undefined
}

/** Both windows full again. */
export function refill(meter: Meter): void {
  meter.minute.opened = meter.day.opened = meter.refusals.opened = -Infinity
  meter.minute.used = meter.day.used = meter.refusals.count = 0
  if (meter.armed !== 'ban') meter.armed = undefined
}

/** Leaves `remaining` requests in the window of a minute, and at least as many in that of a day. */
export function leave(meter: Meter, plan: Plan, now: number, remaining: number, rules: Rules): void {
  if (meter.armed !== 'ban') meter.armed = undefined
  const perMinute = plan.perMinute ?? UNLIMITED
  use(meter, 'minute', now, rules, perMinute - remaining - windowAt(meter, 'minute', now, rules).used)
  if (plan.perDay !== null) meter.day.used = Math.min(meter.day.used, Math.max(0, plan.perDay - remaining))
}

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

/** Uses a window, and opens it if need be. */
function use(meter: Meter, span: Span, now: number, rules: Rules, requests: number): void {
  const { opened, used } = windowAt(meter, span, now, rules)
  meter[span].opened = opened
  meter[span].used = used + requests
}

/** False also before it: the clock of the machine was set back, and what is ahead of it would last for the whole jump. */
const isWithin = (now: number, from: number, length: number): boolean => now >= from && now < from + length

/** When the ban ends: after a jump back of the clock not later than its length from now. */
export const banEnd = ({ ban }: Meter, now: number): number =>
  now < ban.from ? now + (ban.until - ban.from) : ban.until

/** A ban that began ahead of the clock begins now. */
function reanchor(meter: Meter, now: number): void {
  const { ban } = meter
  if (now >= ban.from) return
  const { from } = ban
  ban.until = banEnd(meter, now)
  ban.from = now
  ban.bannedAgain -= from - now
}

/** What a trigger key is armed with happens at its first call. */
function spring(meter: Meter, now: number, rules: Rules): void {
  if (!meter.armed) return
  if (meter.armed === 'ban') startBan(meter, now, nextBan(meter, now, rules))
  else use(meter, meter.armed, now, rules, Infinity)
  meter.armed = undefined
}

/** Counts a refusal; true when it is the one that starts a ban. */
function refuse(meter: Meter, plan: Plan, now: number, rules: Rules): boolean {
  const { refusals } = meter
  const { ban } = rules
  const fromOutside = SPANS.some((span) => windowAt(meter, span, now, rules).used === Infinity)
  if (fromOutside || !ban.enabled) return false
  if (!isWithin(now, refusals.opened, MINUTE)) {
    refusals.opened = now
    refusals.count = 0
  }
  refusals.count++
  return refusals.count >= (ban.after ?? plan.perMinute ?? UNLIMITED)
}

/** How long the next ban lasts: twice the last one within a day of its end, at most an hour. */
function nextBan(meter: Meter, now: number, { ban }: Rules): number {
  const first = ban.seconds * SECOND
  const again = now < meter.ban.bannedAgain
  const length = again ? Math.min(meter.ban.length * 2, Math.max(LONGEST_BAN, first)) : first
  meter.ban.length = length
  meter.ban.bannedAgain = now + length + DAY
  return length
}

function banned(meter: Meter, plan: Plan, now: number, rules: Rules, startsBan: boolean): ChargeResult {
  const exhausted = exhaustedSpan(meter, plan, now, rules)
  const span = exhausted ?? 'minute'
  const { limit, resetsAt } = quota(meter, plan, now, span, rules)
  const until = exhausted ? Math.max(meter.ban.until, resetsAt) : meter.ban.until
  return { outcome: 'ban', span, quota: { limit, remaining: 0, resetsAt: until }, startsBan }
}

const verdict = (
  outcome: 'counted' | 'window',
  meter: Meter,
  plan: Plan,
  now: number,
  rules: Rules,
  span: Span,
): ChargeResult => ({
  outcome,
  span,
  quota: quota(meter, plan, now, span, rules),
  startsBan: false,
})

/** The window that is used up; of both, the one that resets later. */
function exhaustedSpan(meter: Meter, plan: Plan, now: number, rules: Rules): Span | undefined {
  const [minute, day] = bothQuotas(meter, plan, now, rules)
  if (minute.remaining > 0) return day.remaining > 0 ? undefined : 'day'
  return day.remaining === 0 && day.resetsAt >= minute.resetsAt ? 'day' : 'minute'
}

/** The window that the headers describe: the one with fewer requests left, of two equal ones the longer. */
function reportedSpan(meter: Meter, plan: Plan, now: number, rules: Rules): Span {
  const { report } = rules.limits
  if (report !== 'closest') return report
  const [minute, day] = bothQuotas(meter, plan, now, rules)
  return day.remaining <= minute.remaining ? 'day' : 'minute'
}

const bothQuotas = (meter: Meter, plan: Plan, now: number, rules: Rules): [Quota, Quota] => [
  quota(meter, plan, now, 'minute', rules),
  quota(meter, plan, now, 'day', rules),
]

const startOf = (now: number, span: number): number => Math.floor(now / span) * span
