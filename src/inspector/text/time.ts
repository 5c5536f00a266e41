import { formatDistance, formatDuration, secondsText } from '../../time/duration.ts'
import { SECOND } from '../../time/instant.ts'

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

/** `42 s`, `1 min 1 s`, `3 h 5 min`, `2 d`: the two largest units, rounded up to a whole second. */
export const duration = (milliseconds: number): string =>
  milliseconds === 0 ? '0 s' : formatDuration(Math.ceil(Math.abs(milliseconds) / SECOND) * SECOND)

/** `in 42 s`, `3 min 5 s ago`, `now`. */
export const distance = (at: number, now: number): string =>
  formatDistance(Math.ceil((at - now) / SECOND) * SECOND, 0)

/** The difference of the clock of a world from real time. */
export function ahead(world: number, real: number): string {
  const difference = Math.round((world - real) / SECOND) * SECOND
  if (difference === 0) return 'real time'
  return `${duration(difference)} ${difference > 0 ? 'ahead' : 'behind'}`
}

/** `<1 ms`, `12 ms`, `2.0 s`. */
export const took = (milliseconds: number): string => (milliseconds < 1 ? '<1 ms' : secondsText(milliseconds))
