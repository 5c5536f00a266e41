import type { Timeline } from '../time/timeline.ts'
import { clearTimeout, LONGEST_TIMER, setTimeout } from './timers.ts'

/** Wakes the sleepers of a timeline by the system clock. Returns a function that stops. */
export function driveByClock(timeline: Timeline, clock: () => number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  timeline.onDue = (due) => {
    clearTimeout(timer)
    const wait = Math.min(LONGEST_TIMER, Math.max(0, due - Math.max(clock(), timeline.now())))
    // The timer decides: a system clock that was set back delays no sleeper.
    timer = setTimeout(() => void timeline.advance(Math.max(clock(), wait < LONGEST_TIMER ? due : 0)), wait)
  }
  // Requests that were applied again may sleep already.
  if (timeline.sleeping > 0) timeline.onDue(timeline.due)
  return () => {
    clearTimeout(timer)
    timeline.onDue = () => {}
    timeline.end()
  }
}
