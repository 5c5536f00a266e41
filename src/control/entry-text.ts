import type { JournalEntry } from '../contract/generated/control.types.d.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import { entryOf } from '../world/traffic/journal-entry.ts'

/** An entry with the name of its key. It is in no recorded reply: a recording has other keys. */
export function namedEntry(exchange: Exchange): JournalEntry {
  const { key, plan, secrets } = exchange
  const entry = entryOf(exchange)
  return key === undefined || plan === undefined ? entry : { ...entry, keyName: secrets.nameOf(key) }
}

const texts = new Map<Exchange, string>()

/** The JSON of a journal entry: made once for all subscribers and waiting calls of one turn of the event loop. */
export function entryText(exchange: Exchange): string {
  const known = texts.get(exchange)
  if (known !== undefined) return known
  const text = JSON.stringify(namedEntry(exchange))
  if (texts.size === 0) queueMicrotask(() => texts.clear())
  texts.set(exchange, text)
  return text
}
