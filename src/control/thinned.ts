import type { Exchange } from '../domain/traffic/exchange.ts'
import { iso } from '../domain/world/instant.ts'

/** The real one, whatever timers a test in this process may fake later. */
const { setTimeout } = globalThis

/** The length of an interval, in milliseconds; each has its share of the rate. */
const PART = 100

/** A summary of the exchanges that were not sent one by one. */
export interface More {
  readonly at: string
  readonly count: number
  /** By status; 0 where the client got none. */
  readonly statuses: Readonly<Record<string, number>>
}

/**
 * Passes at most `rate` exchanges a second to `send`; `summarize` receives the number of the others. So the cost of a
 * subscriber does not grow with the number of requests.
 */
export function thinned(
  rate: number,
  send: (exchange: Exchange) => void,
  summarize: (more: More) => void,
): (exchange: Exchange) => void {
  const share = Math.max(1, Math.ceil((rate * PART) / 1000))
  let sent = 0
  let skipped: { at: number; count: number; statuses: Record<string, number> } | undefined
  let isCounting = false
  const end = () => {
    isCounting = false
    sent = 0
    if (!skipped) return
    const { at, count, statuses } = skipped
    skipped = undefined
    summarize({ at: iso(at), count, statuses })
  }
  return (exchange) => {
    if (!isCounting) {
      isCounting = true
      setTimeout(end, PART).unref()
    }
    if (sent < share) {
      sent++
      send(exchange)
      return
    }
    skipped ??= { at: exchange.at, count: 0, statuses: {} }
    skipped.at = exchange.at
    skipped.count++
    skipped.statuses[exchange.status] = (skipped.statuses[exchange.status] ?? 0) + 1
  }
}
