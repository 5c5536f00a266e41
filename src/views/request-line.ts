import { printable } from '../text/printable.ts'
import { statusWord } from '../text/status-word.ts'
import type { EntryHead } from '../world/traffic/journal-entry.ts'

/** `2026-11-19T12:34:56.000Z req_000001 GET /v1/pets 200`. */
export function requestLine({ at, id, namespace, method, path, query, status }: EntryHead): string {
  const target = printable(query ? `${path}?${query}` : path)
  return `${at} ${id} ${method} ${target} ${statusWord(status)}${namespace === 'default' ? '' : ` [${namespace}]`}`
}

/** A name for the key of a request: masked, and different for different keys of its namespace. */
export const keyText = ({ key, plan }: EntryHead): string => [key ?? 'no key', plan].filter(Boolean).join(' ')
