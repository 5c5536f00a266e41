import { InvalidValue } from '../text/advised-error.ts'
import { inThousands } from '../text/in-thousands.ts'
import { DAY, HOUR, MINUTE, SECOND } from './instant.ts'

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: SECOND, m: MINUTE, h: HOUR, d: DAY }

const SHORT = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/
const ISO = /^P(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/

/** Reads `500ms 61s 5m 2h 1d` or ISO 8601 (`PT61S`), in milliseconds; throws a RangeError for anything else. */
export function parseDuration(text: string): number {
  const [, count, unit = ''] = SHORT.exec(text) ?? []
  if (count !== undefined) return Number(count) * (UNITS[unit] ?? 1)
  const parts = ISO.exec(text)
  if (!parts?.slice(1).some(Boolean))
    throw new InvalidValue(`"${text}" is not a valid duration`, 'use 500ms, 61s, 5m, 2h, 1d or PT61S')
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0))
  return days * DAY + hours * HOUR + minutes * MINUTE + seconds * SECOND
}

const STEPS = [
  ['d', DAY, 'h', HOUR],
  ['h', HOUR, 'min', MINUTE],
  ['min', MINUTE, 's', SECOND],
] as const

/** A duration in milliseconds for people, rounded up: `24 s`, `2 min`, `11 h 26 min`, `3 d 4 h`. */
export function formatDuration(milliseconds: number): string {
  if (Math.ceil(milliseconds) < SECOND) return `${Math.ceil(milliseconds)} ms`
  for (const [unit, length, smallerUnit, smaller] of STEPS) {
    const rounded = Math.ceil(milliseconds / smaller) * smaller
    if (rounded < length) continue
    const rest = (rounded % length) / smaller
    return `${inThousands(Math.floor(rounded / length))} ${unit}${rest > 0 ? ` ${rest} ${smallerUnit}` : ''}`
  }
  return `${Math.ceil(milliseconds / SECOND)} s`
}

/** The smaller of the two units in which a duration is shown, in milliseconds. */
export const smallerUnit = (milliseconds: number): number =>
  milliseconds >= DAY ? HOUR : milliseconds >= HOUR ? MINUTE : milliseconds >= SECOND ? SECOND : 1

/** The distance of an instant from `now`: `in 24 s`, rounded up, and `3 min ago`, rounded down; or `now`. */
export function formatDistance(instant: number, now: number): string {
  if (instant === now) return 'now'
  if (instant > now) return `in ${formatDuration(instant - now)}`
  const unit = smallerUnit(now - instant)
  return `${formatDuration(Math.floor((now - instant) / unit) * unit)} ago`
}

/** A duration in milliseconds for people, rounded up below a second: `212 ms`, `3.2 s`. */
export const secondsText = (milliseconds: number): string =>
  Math.ceil(Math.abs(milliseconds)) < SECOND
    ? `${Math.ceil(milliseconds)} ms`
    : `${(milliseconds / SECOND).toFixed(1)} s`
