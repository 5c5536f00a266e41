import { printable } from '../text/printable.ts'
import { statusWord } from '../text/status-word.ts'
import { targetOf } from '../world/traffic/address.ts'
import type { EntryHead } from '../world/traffic/journal-entry.ts'

/** `2026-11-19T12:34:56.000Z req_000001 GET /v1/pets 200`. */
export function requestLine(entry: EntryHead): string {
  const { at, id, namespace, method, status } = entry
  return `${at} ${id} ${method} ${printable(targetOf(entry))} ${statusWord(status)}${namespace === 'default' ? '' : ` [${namespace}]`}`
}

/** A name for the key of a request: masked, and different for different keys of its namespace. */
export const keyText = ({ key, plan }: EntryHead): string => [key ?? 'no key', plan].filter(Boolean).join(' ')
