import type { IntervalHistogram } from 'node:perf_hooks'
import { Slices } from '../time/slices.ts'
import type { Timer } from '../time/timer.ts'

/** The real ones, whatever timers a test in this process may fake later. */
const { clearTimeout, setImmediate, setTimeout } = globalThis
// Not performance.now(): Node 20 would load all of perf_hooks with the start.
const { uptime } = process

/** The one queue of this process, because all its sandboxes share its event loop. */
export const slices = new Slices({ later: setImmediate, clock: () => uptime() * 1000 })

/** Resolves in the next turn of the event loop. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export const timer: Timer = (milliseconds, act) => {
  const set = setTimeout(act, milliseconds)
  return () => clearTimeout(set)
}

let delays: IntervalHistogram | undefined

/**
 * The longest delay of the event loop since the last call, in seconds. It is measured from the first call on, every 10 ms,
 * so that those who never ask do not pay for it.
 */
export function loopDelay(): number {
  if (!delays) {
    const { monitorEventLoopDelay } = process.getBuiltinModule('node:perf_hooks')
    delays = monitorEventLoopDelay({ resolution: 10 })
    delays.enable()
    return 0
  }
  // It measures how long 10 ms take.
  const longest = Math.max(0, delays.max / 1e9 - 0.01)
  delays.reset()
  return longest
}
