import type { WindowView as Window } from '../../contract/generated/control.types.d.ts'
import { duration } from './time.ts'

/** The limit of a plan that has none. */
export const UNLIMITED = 2_147_483_647

export type { Window }

/** The rest of a window by the clock `now`: one that is over is full. */
export const restOf = ({ limit, remaining, resetsAt }: Window, now: number): number =>
  Date.parse(resetsAt) <= now ? limit : remaining

/** `full in 43 s`; empty where it is full. */
export const fullIn = (window: Window, now: number): string =>
  restOf(window, now) === window.limit ? '' : `full in ${duration(Date.parse(window.resetsAt) - now)}`

export const amount = (count: number): string =>
  count === UNLIMITED ? 'unlimited' : count.toLocaleString('en')
