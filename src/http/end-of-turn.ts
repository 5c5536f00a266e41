import { setImmediate } from './timers.ts'

/**
 * Puts off `act` until the event loop has read from every connection that has something to say, and does it
 * for all of them in a row. Whoever reads the answers is then awake for the second one; waking it for each
 * costs more than making most answers does (a third of all requests a second, with 32 connections).
 */
export function atEndOfTurn<Item>(act: (item: Item) => void): (item: Item) => void {
  let waiting: Item[] = []
  const actOnAll = () => {
    const items = waiting
    waiting = []
    for (const item of items) act(item)
  }
  return (item) => {
    if (waiting.length === 0) setImmediate(actOnAll)
    waiting.push(item)
  }
}
