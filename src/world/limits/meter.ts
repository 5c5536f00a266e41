import { DAY, MINUTE, SECOND } from '../../time/instant.ts'
import type { Armed } from '../keys/built-in-keys.ts'
import { type Plan, UNLIMITED } from '../plan.ts'
import type { Policy } from '../policy.ts'

export type Span = 'minute' | 'day'

/**
 * The used requests of a key's windows, its ban, and everything else that its next answer depends on. All instants in
 * milliseconds since the epoch.
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
  /** The state of a trigger key at its first call. */
  armed: Armed | undefined
  /** When the last refusal was sent, and from when on it allowed a retry; undefined if nothing is to be waited for. */
  wait: { readonly from: number; readonly until: number } | undefined
  /** How many answers a flaky key has drawn. */
  drawn: number
}

/** A window that opens anew is another one. */
interface Window {
  readonly opened: number
  /** Infinity: used up from outside, whatever the plan allows. */
  used: number
}

type Windows = Readonly<Record<Span, Window>>

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

/** It can be changed without changing the other one. */
export const copyOfMeter = (meter: Meter): Meter => ({
  ...meter,
  minute: { ...meter.minute },
  day: { ...meter.day },
})

/** Kept with every exchange: the windows that were charged, of which the quotas are computed when they are read. */
class Charge implements ChargeResult {
  readonly outcome: ChargeResult['outcome']
  readonly span: Span
  readonly triggered: Span | undefined
  readonly startsBan: boolean
  readonly #plan: Plan
  readonly #minute: Window
  readonly #minuteUsed: number
  readonly #day: Window
  readonly #dayUsed: number
  /** Undefined where no ban lasts. */
  readonly #bannedUntil: number | undefined

  constructor(
    outcome: ChargeResult['outcome'],
    span: Span,
    plan: Plan,
    { minute, day }: Windows,
    triggered: Span | undefined,
    ban?: { readonly until: number; readonly isNew: boolean },
  ) {
    this.outcome = outcome
    this.span = span
    this.triggered = triggered
    this.startsBan = ban?.isNew === true
    this.#plan = plan
    this.#minute = minute
    this.#minuteUsed = minute.used
    this.#day = day
    this.#dayUsed = day.used
    this.#bannedUntil = ban?.until
  }

  get minute(): Quota {
    return quotaOf(this.#plan.perMinute, this.#minuteUsed, this.#minute.opened + MINUTE)
  }

  get day(): Quota {
    return quotaOf(this.#plan.perDay, this.#dayUsed, this.#day.opened + DAY)
  }

  get quota(): Quota {
    const quota = this.span === 'minute' ? this.minute : this.day
    return this.#bannedUntil === undefined ? quota : { ...quota, remaining: 0, resetsAt: this.#bannedUntil }
  }

  /** As recordings have it. */
  toJSON(): ChargeResult {
    const { outcome, span, quota, minute, day, triggered, startsBan } = this
    return { outcome, span, quota, minute, day, triggered, startsBan }
  }
}

/**
 * Charges one request at `now`, or refuses it: while a ban lasts, or when a window is used up (interface,
 * section 8). A refusal costs nothing and opens no window, but too many within a minute start a ban.
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
    return new Charge('counted', span, plan, windows, triggered)
  }
  const refusals = refuse(meter, windows, now, rules)
  if (refusals > 0 && refusals >= (rules.ban.after ?? plan.perMinute ?? UNLIMITED)) {
    banAnew(meter, now, rules)
    return banned(meter, plan, windows, triggered, true)
  }
  const span = exhaustedSpan(plan, windows) ?? 'minute'
  return new Charge('window', span, plan, windows, triggered)
}

/** By how many milliseconds a request at `now` is too early, if its key must still wait. */
export function earlyBy({ wait }: Meter, now: number): { allowedAt: number; earlyMs: number } | undefined {
  // An instant before the wait began: the clock was set back.
  if (!wait || now < wait.from || now >= wait.until) return undefined
  return { allowedAt: wait.until, earlyMs: wait.until - now }
}

/** After a request at `now`: its key must wait `retryAfter` seconds; without them an earlier wait continues until it is over. */
export function waitAfter(meter: Meter, now: number, retryAfter: number | undefined): Meter['wait'] {
  if (retryAfter !== undefined) return { from: now, until: now + retryAfter * SECOND }
  return earlyBy(meter, now) && meter.wait
}

/** The remaining requests of a window at `now`, without using one. */
export function quota(meter: Meter, plan: Plan, now: number, span: Span, rules: Rules): Quota {
  if (span === 'day') {
    const { opened, used } = dayAt(meter, now)
    return quotaOf(plan.perDay, used, opened + DAY)
  }
  const { opened, used } = minuteAt(meter, now, rules)
  return quotaOf(plan.perMinute, used, opened + MINUTE)
}

const quotaOf = (limit: number | null, used: number, resetsAt: number): Quota => ({
  limit: limit ?? UNLIMITED,
  remaining: remaining(limit, used),
  resetsAt,
})

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

export function liftBan(meter: Meter): void {
  meter.ban = { ...meter.ban, until: -Infinity }
  if (meter.armed === 'ban') meter.armed = undefined
  meter.wait = undefined
}

/** Both windows full again. */
export function refill(meter: Meter): void {
  meter.minute = UNUSED
  meter.day = UNUSED
  meter.refusals = NO_REFUSALS
  if (meter.armed !== 'ban') meter.armed = undefined
  meter.wait = undefined
}

/** Leaves `remaining` requests in the window of a minute, and at least as many in that of a day. */
export function leave(meter: Meter, plan: Plan, now: number, remaining: number, rules: Rules): void {
  const { opened } = minuteAt(meter, now, rules)
  const most = plan.perDay === null ? Infinity : Math.max(0, plan.perDay - remaining)
  meter.minute = { opened, used: (plan.perMinute ?? UNLIMITED) - remaining }
  meter.day = { ...meter.day, used: Math.min(meter.day.used, most) }
  if (meter.armed !== 'ban') meter.armed = undefined
  meter.wait = undefined
}

/** As at the start, but for a ban and what starts one. */
export function resetLimits(meter: Meter, armed: Meter['armed']): void {
  refill(meter)
  if (armed !== 'ban') meter.armed = armed
}

/** As at the start, but for the windows and what uses them up. */
export function resetBan(meter: Meter, armed: Meter['armed']): void {
  meter.ban = NO_BAN
  meter.refusals = NO_REFUSALS
  if (armed === 'ban') meter.armed = armed
  meter.wait = undefined
}

/** The window at `now`: the open one, or the one that a request would open, with that request or on the clock. */
function minuteAt({ minute }: Meter, now: number, { limits }: Rules): Window {
  if (isWithin(now, minute.opened, MINUTE)) return minute
  return { opened: limits.minute === 'clock' ? startOf(now, MINUTE) : now, used: 0 }
}

/** The same for the day, which begins at 00:00 UTC. */
const dayAt = ({ day }: Meter, now: number): Window =>
  isWithin(now, day.opened, DAY) ? day : { opened: startOf(now, DAY), used: 0 }

/** False also before it: the clock of the machine was set back, and a later window would last for the whole difference. */
const isWithin = (now: number, from: number, length: number): boolean => now >= from && now < from + length

/** When the ban ends: after a jump back of the clock not later than its length from now. */
export const banEnd = ({ ban }: Meter, now: number): number =>
  now < ban.from ? now + (ban.until - ban.from) : ban.until

/** A ban that began ahead of the clock begins now. */
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

/** Counts a refusal, unless the window was used up from outside, or nothing bans. Returns how many there were in a minute. */
function refuse(meter: Meter, { minute, day }: Windows, now: number, rules: Rules): number {
  const { refusals } = meter
  if (minute.used === Infinity || day.used === Infinity || !rules.ban.enabled) return 0
  const { opened, count } = isWithin(now, refusals.opened, MINUTE) ? refusals : { opened: now, count: 0 }
  meter.refusals = { opened, count: count + 1 }
  return count + 1
}

/** The next ban: it lasts twice as long as the last one within a day of its end, at most an hour. */
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
  isNew: boolean,
): ChargeResult {
  const exhausted = exhaustedSpan(plan, windows)
  const until = exhausted ? Math.max(ban.until, resetOf(windows, exhausted)) : ban.until
  return new Charge('ban', exhausted ?? 'minute', plan, windows, triggered, { until, isNew })
}

const resetOf = ({ minute, day }: Windows, span: Span): number =>
  span === 'minute' ? minute.opened + MINUTE : day.opened + DAY

/** The window that is used up; of both, the one that resets later. */
function exhaustedSpan(plan: Plan, windows: Windows): Span | undefined {
  const isDayUsed = remaining(plan.perDay, windows.day.used) === 0
  if (remaining(plan.perMinute, windows.minute.used) > 0) return isDayUsed ? 'day' : undefined
  return isDayUsed && resetOf(windows, 'day') >= resetOf(windows, 'minute') ? 'day' : 'minute'
}

/** The window that the headers describe: the one with fewer requests left, of two equal ones the longer. */
function reportedSpan(perMinute: number, perDay: number, { limits: { report } }: Rules): Span {
  if (report !== 'closest') return report
  return perDay <= perMinute ? 'day' : 'minute'
}

const startOf = (now: number, span: number): number => Math.floor(now / span) * span
