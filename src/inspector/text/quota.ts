import type { WindowView as Window } from '../../contract/generated/control.types.d.ts'
import { duration } from './time.ts'

/** The limit that stands for no limit. */
export const UNLIMITED = 2_147_483_647

export type { Window }

/** The remaining requests of a window at `now`; all of them after it has ended. */
export const restOf = ({ limit, remaining, resetsAt }: Window, now: number): number =>
  Date.parse(resetsAt) <= now ? limit : remaining

/** `full in 43 s`; empty if it is full. */
export const fullIn = (window: Window, now: number): string =>
  restOf(window, now) === window.limit ? '' : `full in ${duration(Date.parse(window.resetsAt) - now)}`

export const amount = (count: number): string =>
  count === UNLIMITED ? 'unlimited' : count.toLocaleString('en')
