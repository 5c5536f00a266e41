import { setImmediate } from '../timers.ts'

/**
 * Defers `act` until the event loop has read from every readable connection, then calls it for all items in a row.
 * This batches the responses: waking the client process once for each costs more than making most responses (a third
 * of the requests per second, with 32 connections).
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
