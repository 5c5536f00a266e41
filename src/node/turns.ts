import type { IntervalHistogram } from 'node:perf_hooks'
import { Slices } from '../time/slices.ts'
import { monotonic, setImmediate } from './timers.ts'

/** The one queue of this process, because all its sandboxes share its event loop. */
export const slices = new Slices({ later: setImmediate, clock: monotonic })

/** Resolves in the next turn of the event loop. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

let delays: IntervalHistogram | undefined

/** The longest delay of the event loop since the last call, in seconds. Measured every 10 ms, from the first call on. */
export function loopDelay(): number {
  if (!delays) {
    const { monitorEventLoopDelay } = process.getBuiltinModule('node:perf_hooks')
    delays = monitorEventLoopDelay({ resolution: 10 })
    delays.enable()
    return 0
  }
  // The measured times include the interval of 10 ms.
  const longest = Math.max(0, delays.max / 1e9 - 0.01)
  delays.reset()
  return longest
}
