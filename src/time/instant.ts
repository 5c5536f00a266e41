/** Units of time in milliseconds, and the forms of an instant. Instants are milliseconds since the epoch. */
import { InvalidValue } from '../text/advised-error.ts'

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

const LAST_INSTANT = Date.UTC(10_000, 0) - 1

/** ISO 8601 in UTC with milliseconds. An instant beyond the last one that a clock can show becomes that one. */
export const iso = (instant: number): string => new Date(Math.min(instant, LAST_INSTANT)).toISOString()

/** The date form of HTTP (RFC 9110, section 5.6.7), which ends in `GMT`; for later instants as in `iso`. */
export const httpDate = (instant: number): string => new Date(Math.min(instant, LAST_INSTANT)).toUTCString()

/** Whether a clock can show an instant: every format can express it. */
export const isShowable = (instant: number): boolean =>
  instant >= Date.UTC(1970) && Math.round(instant) <= LAST_INSTANT

const FORM = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/

/**
 * Reads an ISO 8601 instant with its zone (`2030-12-05T00:00:00Z`), or a date, which means 00:00 UTC. Throws a
 * RangeError for anything else.
 */
export function parseInstant(text: string): number {
  const date = FORM.exec(text)?.[1]
  const instant = Date.parse(text)
  // Date.parse reads the 30th of February as the 2nd of March.
  if (!date || Number.isNaN(instant) || iso(Date.parse(date)).slice(0, 10) !== date)
    throw new InvalidValue(`"${text}" is not a valid instant`, 'use UTC, such as 2030-12-05T00:00:00Z')
  return instant
}

/** Whether a value is a Date, also one of another realm: each test file of Jest has a `Date` of its own. */
export const isDate = (value: unknown): value is Date =>
  Object.prototype.toString.call(value) === '[object Date]'
