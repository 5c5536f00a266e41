import type { Exchange } from '../domain/traffic/exchange.ts'
import { iso } from '../domain/world/instant.ts'

/** The real one, whatever timers a test in this process may fake later. */
const { setTimeout } = globalThis

/** How long a part of a second is of which the share is sent, in milliseconds. */
const PART = 100

/** What came and was not sent one by one. */
export interface More {
  readonly at: string
  readonly count: number
  /** By status; 0 where the client got none. */
  readonly statuses: Readonly<Record<string, number>>
}

/**
 * Lets at most `rate` exchanges a second through to `send`; of the others `tell` hears how many there were. So a
 * follower costs the same however much comes.
 */
export function thinned(
  rate: number,
  send: (exchange: Exchange) => void,
  tell: (more: More) => void,
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
    tell({ at: iso(at), count, statuses })
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
