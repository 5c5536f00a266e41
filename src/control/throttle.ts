import { iso } from '../time/instant.ts'
import type { Timer } from '../time/timer.ts'
import type { Exchange } from '../world/traffic/exchange.ts'

/** The length of an interval in milliseconds. After each, a part of `rate` may be sent again. */
const PART = 100

/** A summary of the exchanges that were not sent one by one. */
export interface Omitted {
  readonly at: string
  readonly count: number
  /** How many exchanges had each status; 0 if the client received none. */
  readonly statuses: Readonly<Record<string, number>>
}

/**
 * Passes at most `rate` exchanges a second to `send`, also in one burst; `summarize` receives the number of the others.
 * The cost of a subscriber therefore does not grow with the number of requests.
 */
export function throttled(
  rate: number,
  send: (exchange: Exchange) => void,
  summarize: (more: Omitted) => void,
  timer: Timer,
): (exchange: Exchange) => void {
  const share = (rate * PART) / 1000
  let left = rate
  let skipped: { at: number; count: number; statuses: Record<string, number> } | undefined
  let isCounting = false
  const end = () => {
    left = Math.min(rate, left + share)
    isCounting = left < rate
    if (isCounting) timer(PART, end)
    if (!skipped) return
    const { at, count, statuses } = skipped
    skipped = undefined
    summarize({ at: iso(at), count, statuses })
  }
  return (exchange) => {
    if (left >= 1) {
      left--
      if (!isCounting) {
        isCounting = true
        timer(PART, end)
      }
      send(exchange)
      return
    }
    skipped ??= { at: exchange.at, count: 0, statuses: {} }
    skipped.at = exchange.at
    skipped.count++
    skipped.statuses[exchange.status] = (skipped.statuses[exchange.status] ?? 0) + 1
  }
}
