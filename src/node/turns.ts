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

/** The functions to call after `act`; undefined unless an `act` is running. */
let following: (() => void)[] | undefined

/**
 * Collects items until the event loop has read from every readable connection, then calls `act` with all of them. With 32
 * connections, reading all requests, then handling all, then sending all responses costs a quarter less than finishing
 * one request after the other: the code of each step stays in the cache of the processor, and the client wakes once.
 */
export function atEndOfTurn<Item>(act: (items: readonly Item[]) => void): (item: Item) => void {
  let waiting: Item[] = []
  const actOnAll = () => {
    const items = waiting
    waiting = []
    following = []
    try {
      act(items)
    } finally {
      const last = following
      following = undefined
      for (const each of last) each()
    }
  }
  return (item) => {
    if (waiting.length === 0) setImmediate(actOnAll)
    waiting.push(item)
  }
}

/**
 * Calls `act` once at the end of this turn of the event loop, directly after the collected items. In a later turn, half of
 * the clients would be a turn ahead of the others, and each turn would serve half of them.
 */
export function endTurnWith(act: () => void): void {
  if (following) following.push(act)
  else setImmediate(act)
}
