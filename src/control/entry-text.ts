import type { JournalEntry } from '../contract/generated/control.types.d.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import { entryOf } from '../world/traffic/journal-entry.ts'

/** The names of the keys of a namespace; undefined if there is none. */
export type NamesIn = (namespace: string) => ReadonlyMap<string, string> | undefined

/** A journal entry with the name of its key, if its namespace has the key. */
export function namedEntry(exchange: Exchange, namesIn: NamesIn): JournalEntry {
  const { key, namespace } = exchange
  const keyName = key === undefined ? undefined : namesIn(namespace)?.get(key)
  const entry = entryOf(exchange)
  return keyName === undefined ? entry : { ...entry, keyName }
}

const texts = new Map<Exchange, string>()

/** A journal entry as JSON. Made once for all subscribers and waiting calls of one turn of the event loop. */
export function entryText(exchange: Exchange, namesIn: NamesIn): string {
  const known = texts.get(exchange)
  if (known !== undefined) return known
  const text = JSON.stringify(namedEntry(exchange, namesIn))
  if (texts.size === 0) queueMicrotask(() => texts.clear())
  texts.set(exchange, text)
  return text
}
