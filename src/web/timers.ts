import type { Timer } from '../time/timer.ts'

/** The real timers, even if a test in this process fakes timers later. */
export const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis

/** The longest wait of a timer, in milliseconds. */
export const LONGEST_TIMER = 2 ** 31 - 1

export const timer: Timer = (milliseconds, act) => {
  const set = setTimeout(act, milliseconds)
  return () => clearTimeout(set)
}
