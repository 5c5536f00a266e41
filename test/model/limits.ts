import { DAY, MINUTE, SECOND } from './clock.ts'
import { type Plan, UNLIMITED } from './keys.ts'
import type { Decisions } from './settings.ts'

/** A window of a key (interface, section 8). */
export interface Window {
  readonly name: 'minute' | 'day'
  readonly limit: number
  readonly remaining: number
  readonly reset: number
}

export type Outcome =
  | { readonly is: 'counted'; readonly window: Window }
  | { readonly is: 'window'; readonly window: Window }
  | { readonly is: 'ban'; readonly window: Window; readonly until: number; readonly started: boolean }

export const TRIGGERS = ['psk_limited', 'psk_day_limited', 'psk_banned']

const MAX_BAN = 3600

export class Account {
  private minute: { readonly opened: number; used: number } | undefined
  private day: { readonly opened: number; used: number } | undefined
  private refusals: { readonly opened: number; count: number } | undefined
  private ban: number | undefined
  private lastBan: { readonly end: number; readonly seconds: number } | undefined
  private isArmed: boolean
  /** Until then, the refusals that a trigger key caused lead to no ban. */
  private sparedUntil = Number.NEGATIVE_INFINITY
  private readonly key: string
  private readonly decisions: Decisions

  constructor(key: string, decisions: Decisions) {
    this.key = key
    this.decisions = decisions
    this.isArmed = TRIGGERS.includes(key)
  }

  charge(plan: Plan, now: number): Outcome {
    const bans = this.isArmed && this.key === 'psk_banned'
    if (this.isArmed) this.trigger(plan, now)
    if (this.isBanned(now)) return this.banned(plan, now, bans)
    if (this.windows(plan, now).some(({ remaining }) => remaining === 0)) return this.refuse(plan, now)
    this.minute = this.isMinuteOpen(now) ? this.minute : { opened: now, used: 0 }
    this.day = this.isDayOpen(now) ? this.day : { opened: now, used: 0 }
    if (this.minute) this.minute.used++
    if (this.day) this.day.used++
    return { is: 'counted', window: this.reported(plan, now) }
  }

  windows(plan: Plan, now: number): [Window, Window] {
    const left = (limit: number, used: number) =>
      limit === UNLIMITED && used < Number.POSITIVE_INFINITY ? UNLIMITED : Math.max(0, limit - used)
    const minuteUsed = this.isMinuteOpen(now) ? (this.minute?.used ?? 0) : 0
    const dayUsed = this.isDayOpen(now) ? (this.day?.used ?? 0) : 0
    return [
      {
        name: 'minute',
        limit: plan.minute,
        remaining: left(plan.minute, minuteUsed),
        reset: this.minuteEnd(this.isMinuteOpen(now) ? (this.minute?.opened ?? now) : now),
      },
      {
        name: 'day',
        limit: plan.day,
        remaining: left(plan.day, dayUsed),
        reset: (Math.floor(now / DAY) + 1) * DAY,
      },
    ]
  }

  banEnd(now: number): number | undefined {
    return this.isBanned(now) ? this.ban : undefined
  }

  /** Starts a ban of a control call: it does not double the next one, and refusals are counted from zero. */
  putBan(seconds: number, now: number): void {
    this.ban = now + seconds * SECOND
    this.refusals = undefined
  }

  liftBan(now: number): void {
    this.isArmed &&= this.key !== 'psk_banned'
    if (this.lastBan) this.lastBan = { ...this.lastBan, end: Math.min(this.lastBan.end, now) }
    this.ban = undefined
  }

  refill(): void {
    this.isArmed &&= this.key === 'psk_banned'
    this.refusals = undefined
    this.minute = undefined
    this.day = undefined
  }

  /** Resets the part `limits`. */
  resetLimits(): void {
    this.refill()
    this.isArmed ||= this.key === 'psk_limited' || this.key === 'psk_day_limited'
  }

  /** Resets the part `bans`. */
  resetBans(): void {
    this.ban = undefined
    this.lastBan = undefined
    this.refusals = undefined
    this.isArmed ||= this.key === 'psk_banned'
  }

  /** Moving the clock back resets windows and bans. */
  resetAll(): void {
    this.resetLimits()
    this.resetBans()
  }

  private trigger(plan: Plan, now: number): void {
    this.isArmed = false
    if (this.key === 'psk_limited') {
      this.minute = { opened: now, used: Number.POSITIVE_INFINITY }
      this.sparedUntil = this.minuteEnd(now)
    }
    if (this.key === 'psk_day_limited') {
      this.day = { opened: now, used: Number.POSITIVE_INFINITY }
      this.sparedUntil = (Math.floor(now / DAY) + 1) * DAY
    }
    if (this.key === 'psk_banned') this.startBan(plan, now)
  }

  private refuse(plan: Plan, now: number): Outcome {
    if (now < this.sparedUntil) return { is: 'window', window: this.exhausted(plan, now) }
    if (!this.refusals || now >= this.refusals.opened + MINUTE) this.refusals = { opened: now, count: 0 }
    this.refusals.count++
    const { 'ban.enabled': enabled, 'ban.after': after } = this.decisions
    const needed = after === 'plan' ? plan.minute : Number(after)
    if (enabled === 'false' || this.refusals.count < needed)
      return { is: 'window', window: this.exhausted(plan, now) }
    return this.startBan(plan, now)
  }

  private startBan(plan: Plan, now: number): Outcome {
    const first = Number(this.decisions['ban.seconds'])
    const isRepeat = this.lastBan !== undefined && now - this.lastBan.end < DAY
    const seconds = Math.min(MAX_BAN, isRepeat ? (this.lastBan?.seconds ?? first) * 2 : first)
    this.ban = now + seconds * SECOND
    this.lastBan = { end: this.ban, seconds }
    this.refusals = undefined
    return this.banned(plan, now, true)
  }

  private banned(plan: Plan, now: number, started: boolean): Outcome {
    const windows = this.windows(plan, now)
    const isUsedUp = windows.some(({ remaining }) => remaining === 0)
    const window = isUsedUp ? this.exhausted(plan, now) : windows[0]
    // A window that is not used up causes no wait.
    const until = Math.max(this.ban ?? now, isUsedUp ? window.reset : 0)
    return { is: 'ban', window: { ...window, remaining: 0, reset: until }, until, started }
  }

  /** The used up window with the latest reset. */
  private exhausted(plan: Plan, now: number): Window {
    const [minute, day] = this.windows(plan, now)
    if (minute.remaining > 0) return day
    return day.remaining > 0 || minute.reset > day.reset ? minute : day
  }

  /** The window with fewer remaining requests; the longer one if they are equal. */
  private reported(plan: Plan, now: number): Window {
    const [minute, day] = this.windows(plan, now)
    const report = this.decisions['limits.report']
    if (report !== 'closest') return report === 'minute' ? minute : day
    return minute.remaining < day.remaining ? minute : day
  }

  private minuteEnd(opened: number): number {
    return this.decisions['limits.minute'] === 'clock'
      ? (Math.floor(opened / MINUTE) + 1) * MINUTE
      : opened + MINUTE
  }

  private isMinuteOpen(now: number): boolean {
    return this.minute !== undefined && now < this.minuteEnd(this.minute.opened)
  }

  private isDayOpen(now: number): boolean {
    return this.day !== undefined && Math.floor(this.day.opened / DAY) === Math.floor(now / DAY)
  }

  private isBanned(now: number): boolean {
    return this.ban !== undefined && now < this.ban
  }
}
