import type { Exchange } from '../world/traffic/exchange.ts'
import { entryOf } from '../world/traffic/journal-entry.ts'

const texts = new Map<Exchange, string>()

/** The JSON of a journal entry: made once for all subscribers and waiting calls of one turn of the event loop. */
export function entryText(exchange: Exchange): string {
  const known = texts.get(exchange)
  if (known !== undefined) return known
  const text = JSON.stringify(entryOf(exchange))
  if (texts.size === 0) queueMicrotask(() => texts.clear())
  texts.set(exchange, text)
  return text
}
