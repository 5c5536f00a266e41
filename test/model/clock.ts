/** The time at which the clock of each namespace stands until a test moves it, in milliseconds since the epoch. */
export const START = Date.parse('2026-11-19T12:34:56Z')
export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const DAY = 24 * 60 * MINUTE

/** The removal of getPet: the first instant of 5 December 2030 (interface, section 9). */
export const REMOVAL = Date.parse('2030-12-05T00:00:00Z')

/** The first whole second at or after the instant. */
export const unix = (instant: number): number => Math.ceil(instant / SECOND)

/** The whole seconds to wait, at least one. */
export const wait = (until: number, now: number): number => Math.max(1, Math.ceil((until - now) / SECOND))

export const httpDate = (instant: number): string => new Date(instant).toUTCString()

export const iso = (instant: number): string => new Date(instant).toISOString()
