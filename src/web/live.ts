import type { Timeline } from '../time/timeline.ts'

/** The real ones, whatever clock a test in this process may fake later. */
const { setTimeout, clearTimeout } = globalThis

/** The longest wait that a timer takes. */
const LONGEST = 2 ** 31 - 1

/** Wakes the sleepers of a timeline by the clock of this machine; returns how to stop. */
export function driveByClock(timeline: Timeline, clock: () => number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  timeline.onDue = (due) => {
    clearTimeout(timer)
    const wait = Math.min(LONGEST, Math.max(0, due - Math.max(clock(), timeline.now())))
    // The timer decides, so that a clock of the machine that was set back delays no sleeper.
    timer = setTimeout(() => void timeline.advance(Math.max(clock(), wait < LONGEST ? due : 0)), wait)
  }
  return () => {
    clearTimeout(timer)
    timeline.onDue = () => {}
    timeline.end()
  }
}
