import { printable, printableJson } from '../text/printable.ts'
import { statusWord } from '../text/status-word.ts'
import { iso } from '../time/instant.ts'
import { maskKey } from '../world/keys/secrets.ts'
import { targetOf } from '../world/traffic/address.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import { type EntryHead, entryHead, notesAbout } from '../world/traffic/journal-entry.ts'
import { fieldValue } from '../world/traffic/message.ts'
import type { Colours } from './colours.ts'
import { wrapLine } from './wrap.ts'

/** One exchange in one line for people, wrapped in a terminal of fewer `columns`. */
export function exchangeLine(exchange: Exchange, paint: Colours, columns?: number): string {
  const { key, plan = null, path, query } = exchange
  const { mask } = exchange.secrets
  const caller = { key: key === undefined ? null : maskKey(key), plan }
  const shown = { ...exchange, ...caller, at: iso(exchange.at), path: mask(path), query: mask(query) }
  return entryLine(shown, notesAbout(exchange), leftOf(exchange), paint, columns)
}

/** The members of a journal entry that a line shows. */
type Shown = Pick<
  EntryHead,
  'at' | 'namespace' | 'key' | 'plan' | 'method' | 'path' | 'query' | 'status' | 'ms' | 'decision'
>

/**
 * A journal entry in one line for people:
 * `12:34:56.000 GET    /v1/pets?limit=2              200  free  45 left  1 ms`
 * `left`: the remaining requests in the headers of the response. `notes`: remarks on the exchange.
 */
export function entryLine(
  entry: Shown,
  notes: string,
  left: number | undefined,
  paint: Colours,
  columns = Infinity,
): string {
  const { at, namespace, method, ms } = entry
  const target = printable(targetOf(entry))
  const where = namespace === 'default' ? '' : ` ${paint.dim(`[${namespace}]`)}`
  const parts = [
    paint.dim(at.slice(11, 23)),
    method.padEnd(7),
    columns < NARROW ? target : target.padEnd(36),
    statusOf(entry, paint),
    paint.dim(callerOf(entry, left)),
    paint.dim(`${ms} ms`.padStart(7)),
  ]
  const text = `${parts.join(' ')}${where}${notes === '' ? '' : `  ${paint.warn(printable(notes))}`}`
  // Further lines begin in the column of the method.
  return wrapLine(columns < NARROW ? text.replaceAll(/ {2,}/g, ' ') : text, columns, 13)
}

/** With fewer columns, nothing is aligned. */
const NARROW = 110

/** The plan of the request and its remaining quota, in 22 columns. */
function callerOf({ plan, key, decision }: Shown, left: number | undefined): string {
  if (key === null) return 'no key'.padEnd(22)
  if (decision === 'refused:key') return `key ${key}`.padEnd(22)
  const quota = left === undefined ? '' : `${left} left`
  // A proxy does not know the plan of a key.
  return `${(plan ?? 'key').padEnd(10)} ${quota.padStart(11)}`
}

function statusOf({ status }: Shown, paint: Colours): string {
  const text = statusWord(status).padEnd(4)
  if (status === 0) return paint.bad(text)
  if (status < 400) return paint.good(text)
  return status < 500 ? paint.warn(text) : paint.bad(text)
}

/** The remaining requests in the limit headers, also those of a service behind the proxy. Undefined without a valid key. */
function leftOf({ charged, decision, response }: Exchange): number | undefined {
  if (decision === 'refused:key') return undefined
  const remaining = charged?.quota.remaining ?? fieldValue(response.headers, 'x-ratelimit-remaining')
  return remaining === undefined || Number.isNaN(Number(remaining)) ? undefined : Number(remaining)
}

/** One exchange as one line of JSON: its journal entry without the messages. */
export const jsonLine = (exchange: Exchange): string =>
  printableJson(
    JSON.stringify({ event: 'request', ...entryHead(exchange), remaining: leftOf(exchange) ?? null }),
  )
