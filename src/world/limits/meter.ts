import { DAY, MINUTE, SECOND } from '../../time/instant.ts'
import type { Armed } from '../keys/built-in-keys.ts'
import { type Plan, UNLIMITED } from '../plan.ts'
import type { Policy } from '../policy.ts'

export type Span = 'minute' | 'day'

/**
 * The state of a key from which its next answer follows: the used requests of its windows, its ban, and so on. All
 * instants in milliseconds since the epoch.
 */
export interface Meter {
  minute: Window
  day: Window
  refusals: { readonly opened: number; readonly count: number }
  ban: {
    readonly from: number
    readonly until: number
    readonly length: number
    readonly bannedAgain: number
  }
  armed: Armed | undefined
  /** When the last refusal was sent, and when it allows a retry; undefined if there is no need to wait. */
  wait: { readonly from: number; readonly until: number } | undefined
  /** The number of answers to a flaky key. */
  drawn: number
}

/** A window that opens again is a new object. */
interface Window {
  readonly opened: number
  /** Infinity: used up by the control API or a trigger key, whatever the plan allows. */
  used: number
}

type Windows = Readonly<Record<Span, Window>>

export interface Quota {
  readonly limit: number
  readonly remaining: number
  readonly resetsAt: number
}

/** The result of metering a request, with the windows after it. */
export interface ChargeResult extends Readonly<Record<Span, Quota>> {
  readonly outcome: 'counted' | 'window' | 'ban'
  readonly span: Span
  /** The quota of the window `span`, from which the limit headers are made; during a ban, until its end. */
  readonly quota: Quota
  /** The window that this first call of a trigger key used up. */
  readonly triggered: Span | undefined
  /** True on the refusal that starts a ban. */
  readonly startsBan: boolean
}

type Rules = Pick<Policy, 'limits' | 'ban'>

const LONGEST_BAN = 3600 * SECOND

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

/** A copy that shares nothing that changes. */
export function copyOfMeter(meter: Meter): Meter {
  return { ...meter, minute: { ...meter.minute }, day: { ...meter.day } }
}

/**
 * Charges one request at `now`, or refuses it during a ban or when a window is used up (interface, section 8). A
 * refusal costs nothing and opens no window, but too many within a minute start a ban.
 */
export function charge(meter: Meter, plan: Plan, now: number, rules: Rules): ChargeResult {
  const { armed } = meter
  reanchor(meter, now)
  if (armed) trigger(meter, now, rules)
  const triggered = armed === 'ban' ? undefined : armed
  const windows = { minute: minuteAt(meter, now, rules), day: dayAt(meter, now) }
  const perMinute = remaining(plan.perMinute, windows.minute.used)
  const perDay = remaining(plan.perDay, windows.day.used)
  if (now < meter.ban.until) return banned(meter, plan, windows, triggered, armed === 'ban')
  if (perMinute > 0 && perDay > 0) {
    const { minute, day } = windows
    minute.used++
    day.used++
    meter.minute = minute
    meter.day = day
    const span = reportedSpan(perMinute, perDay, rules)
    return resultOf('counted', span, plan, windows, triggered)
  }
  const refusals = refuse(meter, windows, now, rules)
  if (refusals >= (rules.ban.after ?? plan.perMinute ?? UNLIMITED)) {
    banAnew(meter, now, rules)
    return banned(meter, plan, windows, triggered, true)
  }
  const span = exhaustedSpan(plan, windows) ?? 'minute'
  return resultOf('window', span, plan, windows, triggered)
}

/** When its key may be used again, and by how much a request at `now` is too early; undefined if it need not wait. */
export function earlyBy({ wait }: Meter, now: number): { allowedAt: number; earlyMs: number } | undefined {
  // An instant before the wait began: the clock was set back.
  if (!wait || now < wait.from || now >= wait.until) return undefined
  return { allowedAt: wait.until, earlyMs: wait.until - now }
}

/** The wait after a request at `now`: `retryAfter` seconds; undefined leaves an earlier wait as it is until it is over. */
export function waitAfter(meter: Meter, now: number, retryAfter: number | undefined): Meter['wait'] {
  if (retryAfter !== undefined) return { from: now, until: now + retryAfter * SECOND }
  // A request that came before the refusal ends after it.
  if (meter.wait && now < meter.wait.from) return meter.wait
  return earlyBy(meter, now) && meter.wait
}

/** The quota of a window at `now`. Nothing is charged. */
export function quota(meter: Meter, plan: Plan, now: number, span: Span, rules: Rules): Quota {
  return quotaIn({ minute: minuteAt(meter, now, rules), day: dayAt(meter, now) }, plan, span)
}

function quotaIn(windows: Windows, plan: Plan, span: Span): Quota {
  const limit = span === 'minute' ? plan.perMinute : plan.perDay
  const left = remaining(limit, windows[span].used)
  return { limit: limit ?? UNLIMITED, remaining: left, resetsAt: resetOf(windows, span) }
}

function remaining(limit: number | null, used: number): number {
  if (limit === null && used < Infinity) return UNLIMITED
  return Math.max(0, (limit ?? UNLIMITED) - used)
}

/** Bans from `now` on, for `milliseconds`. */
export function startBan(meter: Meter, now: number, milliseconds: number): void {
  meter.ban = { ...meter.ban, from: now, until: now + milliseconds }
  meter.refusals = NO_REFUSALS
  if (meter.armed === 'ban') meter.armed = undefined
}

/** Ends a ban now: the 24 hours in which the next one is longer begin now, too. */
export function liftBan(meter: Meter, { now }: { readonly now: number }): void {
  const bannedAgain = Math.min(meter.ban.bannedAgain, now + DAY)
  meter.ban = { ...meter.ban, until: -Infinity, bannedAgain }
  if (meter.armed === 'ban') meter.armed = undefined
  meter.wait = undefined
}

/** Refills both windows. */
export function refill(meter: Meter): void {
  meter.minute = UNUSED
  meter.day = UNUSED
  meter.refusals = NO_REFUSALS
  if (meter.armed !== 'ban') meter.armed = undefined
  meter.wait = undefined
}

/** Leaves `remaining` requests in the minute window, and at least as many in the day window. */
export function leave(meter: Meter, plan: Plan, now: number, remaining: number, rules: Rules): void {
  const { opened } = minuteAt(meter, now, rules)
  const most = plan.perDay === null ? Infinity : Math.max(0, plan.perDay - remaining)
  meter.minute = { opened, used: (plan.perMinute ?? UNLIMITED) - remaining }
  meter.day = { ...meter.day, used: Math.min(meter.day.used, most) }
  if (meter.armed !== 'ban') meter.armed = undefined
  meter.wait = undefined
}

/** Refills both windows and arms a trigger key for a window again. */
export function resetLimits(meter: Meter, armed: Meter['armed']): void {
  refill(meter)
  if (armed !== 'ban') meter.armed = armed
}

/** Lifts a ban, forgets the refusals that lead to one, and arms the trigger key for a ban again. */
export function resetBan(meter: Meter, armed: Meter['armed']): void {
  meter.ban = NO_BAN
  meter.refusals = NO_REFUSALS
  if (armed === 'ban') meter.armed = armed
  meter.wait = undefined
}

/** The minute window at `now`: the open one, or the one that a request would open now or at the last full minute. */
function minuteAt({ minute }: Meter, now: number, { limits }: Rules): Window {
  if (isWithin(now, minute.opened, MINUTE)) return minute
  return { opened: limits.minute === 'clock' ? startOf(now, MINUTE) : now, used: 0 }
}

/** The day window at `now`, which begins at 00:00 UTC. */
const dayAt = ({ day }: Meter, now: number): Window =>
  isWithin(now, day.opened, DAY) ? day : { opened: startOf(now, DAY), used: 0 }

/** False also if `from` is in the future: the system clock was set back, and the window would last too long. */
const isWithin = (now: number, from: number, length: number): boolean => now >= from && now < from + length

/** When the ban ends. After the clock was set back: at most its length from now. */
export const banEnd = ({ ban }: Meter, now: number): number =>
  now < ban.from ? now + (ban.until - ban.from) : ban.until

/** A ban that begins in the future, because the clock was set back, begins now. */
function reanchor(meter: Meter, now: number): void {
  const { ban } = meter
  if (now >= ban.from) return
  const bannedAgain = ban.bannedAgain - (ban.from - now)
  meter.ban = { from: now, until: banEnd(meter, now), length: ban.length, bannedAgain }
}

/** Applies the limit or ban of a trigger key at its first call. */
function trigger(meter: Meter, now: number, rules: Rules): void {
  const { armed } = meter
  if (armed === 'ban') banAnew(meter, now, rules)
  if (armed === 'minute') meter.minute = { ...minuteAt(meter, now, rules), used: Infinity }
  if (armed === 'day') meter.day = { ...dayAt(meter, now), used: Infinity }
  meter.armed = undefined
}

/** Counts a refusal and returns how many there were within a minute; 0 if this refusal leads to no ban. */
function refuse(meter: Meter, { minute, day }: Windows, now: number, rules: Rules): number {
  const { refusals } = meter
  if (minute.used === Infinity || day.used === Infinity || !rules.ban.enabled) return 0
  const { opened, count } = isWithin(now, refusals.opened, MINUTE) ? refusals : { opened: now, count: 0 }
  meter.refusals = { opened, count: count + 1 }
  return count + 1
}

/** Starts the next ban: twice as long as the last one if that ended less than a day ago, at most an hour. */
function banAnew(meter: Meter, now: number, rules: Rules): void {
  const first = rules.ban.seconds * SECOND
  const again = now < meter.ban.bannedAgain
  const length = again ? Math.min(meter.ban.length * 2, Math.max(LONGEST_BAN, first)) : first
  startBan(meter, now, length)
  meter.ban = { ...meter.ban, length, bannedAgain: now + length + DAY }
}

function banned(
  { ban }: Meter,
  plan: Plan,
  windows: Windows,
  triggered: Span | undefined,
  startsBan: boolean,
) {
  const exhausted = exhaustedSpan(plan, windows)
  const resetsAt = exhausted ? Math.max(ban.until, resetOf(windows, exhausted)) : ban.until
  const result = resultOf('ban', exhausted ?? 'minute', plan, windows, triggered)
  return { ...result, quota: { ...result.quota, remaining: 0, resetsAt }, startsBan }
}

function resultOf(
  outcome: ChargeResult['outcome'],
  span: Span,
  plan: Plan,
  windows: Windows,
  triggered: Span | undefined,
): ChargeResult {
  const minute = quotaIn(windows, plan, 'minute')
  const day = quotaIn(windows, plan, 'day')
  return { outcome, span, quota: span === 'minute' ? minute : day, minute, day, triggered, startsBan: false }
}

const resetOf = ({ minute, day }: Windows, span: Span): number =>
  span === 'minute' ? minute.opened + MINUTE : day.opened + DAY

/** The window that is used up; if both are, the one that resets later. */
function exhaustedSpan(plan: Plan, windows: Windows): Span | undefined {
  const isDayUsed = remaining(plan.perDay, windows.day.used) === 0
  if (remaining(plan.perMinute, windows.minute.used) > 0) return isDayUsed ? 'day' : undefined
  return isDayUsed && resetOf(windows, 'day') >= resetOf(windows, 'minute') ? 'day' : 'minute'
}

/** The window that the headers describe: the one with fewer requests left; if equal, the longer one. */
function reportedSpan(perMinute: number, perDay: number, { limits: { report } }: Rules): Span {
  if (report !== 'closest') return report
  return perDay <= perMinute ? 'day' : 'minute'
}

const startOf = (now: number, span: number): number => Math.floor(now / span) * span
