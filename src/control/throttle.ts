import { iso } from '../time/instant.ts'
import type { Timer } from '../time/timer.ts'
import type { Exchange } from '../world/traffic/exchange.ts'

/** The length of an interval in milliseconds. After each, a part of `rate` may be sent again. */
const PART = 100

/**
 * Passes at most `rate` exchanges a second as texts, also in one burst, and `moreText` of the number of the others by
 * status (0 if the client received none). The first one is sent at once, what follows together at the end of the interval,
 * because a write costs more than a text. The cost of a subscriber therefore does not grow with the number of requests.
 */
export function throttled(
  rate: number,
  textOf: (exchange: Exchange) => string,
  moreText: (more: object) => string,
  send: (texts: string) => void,
  timer: Timer,
) {
  const share = (rate * PART) / 1000
  let left = rate
  let texts = ''
  let skipped: { at: number; count: number; statuses: Record<string, number> } | undefined
  let stop: (() => void) | undefined
  const flush = () => {
    if (skipped) texts += moreText({ ...skipped, at: iso(skipped.at) })
    if (texts !== '') send(texts)
    skipped = undefined
    texts = ''
  }
  const end = () => {
    left = Math.min(rate, left + share)
    stop = left < rate ? timer(PART, end) : undefined
    flush()
  }
  const pass = (exchange: Exchange) => {
    if (left < 1) {
      skipped ??= { at: exchange.at, count: 0, statuses: {} }
      skipped.at = exchange.at
      skipped.count++
      skipped.statuses[exchange.status] = (skipped.statuses[exchange.status] ?? 0) + 1
      return
    }
    left--
    texts += textOf(exchange)
    if (stop) return
    stop = timer(PART, end)
    flush()
  }
  /** `flush`: sends what waits, such as before another event. */
  return { pass, flush, stop: () => stop?.() }
}
