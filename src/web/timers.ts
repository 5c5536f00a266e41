import type { Timeline } from '../time/timeline.ts'
import type { Timer } from '../time/timer.ts'

/** The real timers, also if a test in this process has faked the global ones: Node has them as a module. */
export const { setTimeout, clearTimeout, setInterval, clearInterval } =
  globalThis.process?.getBuiltinModule?.('node:timers') ?? globalThis

/** The longest wait of a timer, in milliseconds. */
export const LONGEST_TIMER = 2 ** 31 - 1

export const timer: Timer = (milliseconds, act) => {
  const set = setTimeout(act, milliseconds)
  return () => clearTimeout(set)
}

/** Wakes the sleepers of a timeline by the system clock. Returns a function that stops. */
export function driveByClock(timeline: Timeline, clock: () => number): () => void {
  let cancel = () => {}
  timeline.onDue = (due) => {
    cancel()
    const wait = Math.min(LONGEST_TIMER, Math.max(0, due - Math.max(clock(), timeline.now())))
    // The timer decides: a system clock that was set back delays no sleeper.
    cancel = timer(wait, () => void timeline.advance(Math.max(clock(), wait < LONGEST_TIMER ? due : 0)))
  }
  // Requests that were applied again may sleep already.
  if (timeline.sleeping > 0) timeline.onDue(timeline.due)
  return () => {
    cancel()
    timeline.onDue = () => {}
    timeline.end()
  }
}
