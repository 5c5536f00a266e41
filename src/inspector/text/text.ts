import type { WindowView as Window } from '../../contract/generated/control.types.d.ts'
import { plural } from '../../text/plural.ts'
import { printable } from '../../text/printable.ts'
import { shorten } from '../../text/shorten.ts'
import { formatDistance, formatDuration, secondsText, smallerUnit } from '../../time/duration.ts'
import { SECOND } from '../../time/instant.ts'

export { amount, UNLIMITED } from '../../text/in-thousands.ts'

/** Untrusted text whose invisible characters are escaped, such as `\u202e`. `lines`: keeps line ends. */
export const visible = (text: string, { lines = false } = {}): string =>
  lines ? text.replace(/[^\n\t]+/g, (part) => printable(part)) : printable(text)

/** A text in one line, cut to `length` characters. */
export const brief = (text: string, length = 240): string => visible(shorten(text, length))

/** With a capital letter, unless the first word is a name, such as that of an operation or a key. */
export const sentence = (text: string): string =>
  text.replace(/^[a-z]+ /, (word) => word.charAt(0).toUpperCase() + word.slice(1))

const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' })
const ENDS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' }

/** An ordinal number: `3rd`. */
export const ordinal = (number: number): string => `${number}${ENDS[ORDINALS.select(number)] ?? 'th'}`

/** `12:34:56.789` in UTC; the digits of the year are as many as it has. */
export const timeOfDay = (at: string | number, digits: 0 | 3 = 3): string =>
  new Date(at).toISOString().slice(-13, digits === 3 ? -1 : -5)

/** The time of day at which something ends: rounded up to a second, as the sandbox does. */
export const endOf = (at: string | number): string =>
  timeOfDay(Math.ceil(new Date(at).getTime() / SECOND) * SECOND, 0)

/** `Sun, 22 Nov 2026 12:34:56 GMT` */
const wordsOf = (at: string | number): string[] => new Date(at).toUTCString().split(/,? 0?/)

/** `22 Nov`, without the year. */
export const dayOf = (at: string | number): string => wordsOf(at).slice(1, 3).join(' ')

/** `22 Nov 2026` in UTC. */
export const dateOf = (at: string | number): string => wordsOf(at).slice(1, 4).join(' ')

/** `22 Nov 2026 12:34:56` in UTC. */
export const dateAndTime = (at: string | number): string => `${dateOf(at)} ${timeOfDay(at, 0)}`

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' })

/** `22 November 12:34:56` in UTC, to be read aloud. */
export const spokenTime = (at: number): string => `${DAY.format(at)} ${timeOfDay(at, 0)}`

/** `42 s`, `1 min 1 s`, `3 h 5 min`, `2 d`: the two largest units, rounded up to a whole second. */
export const duration = (milliseconds: number): string =>
  milliseconds === 0 ? '0 s' : formatDuration(Math.ceil(Math.abs(milliseconds) / SECOND) * SECOND)

/** `in 42 s`, `3 min 5 s ago`, `now`; a number and its unit stay in one line. */
export const distance = (at: number, now: number): string =>
  formatDistance(Math.ceil((at - now) / SECOND) * SECOND, 0).replaceAll(' ', '\u00a0')

/** The difference of the clock of a world from real time, rounded to the smaller of its two units. */
export function ahead(world: number, real: number): string {
  const exact = Math.abs(world - real)
  const unit = Math.max(SECOND, smallerUnit(exact))
  const difference = Math.round(exact / unit) * unit
  if (difference === 0) return 'real time'
  const text = duration(difference).replace(/^(\d+) d\b/, (_, days) => plural(Number(days), 'day'))
  return `${text} ${world > real ? 'ahead' : 'behind'}`
}

/** `<1 ms`, `12 ms`, `2.0 s`. */
export const took = (milliseconds: number): string => (milliseconds < 1 ? '<1 ms' : secondsText(milliseconds))

/** The remaining requests of a window at `now`; all of them after it has ended. */
export const leftAt = ({ limit, remaining, resetsAt }: Window, now: number): number =>
  Date.parse(resetsAt) <= now ? limit : remaining

/** Whether an instant has come. No event reports the end of a ban or of a key. */
export const isPast = (at: string | null | undefined, now: number): boolean =>
  at != null && Date.parse(at) <= now

/** `full in 43 s`; empty if it is full. */
export const fullIn = (window: Window, now: number): string =>
  leftAt(window, now) === window.limit ? '' : `full in ${duration(Date.parse(window.resetsAt) - now)}`
