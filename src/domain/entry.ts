import {
  type Exchange,
  type JournalEntry,
  type JournalMessage,
  type Message,
  warningsOf,
} from './exchange.ts'
import { iso } from './instant.ts'
import { maskHeaders, maskKey, maskText, maskUrlPart } from './masking.ts'

/** An exchange as people and machines see it: nothing in it holds a whole key. */
export function entryOf(exchange: Exchange): JournalEntry {
  const { key } = exchange
  return {
    id: exchange.id,
    at: iso(exchange.at),
    namespace: exchange.namespace,
    key: key === undefined ? null : maskKey(key),
    plan: exchange.plan ?? null,
    operationId: exchange.operationId ?? null,
    method: exchange.method,
    path: maskUrlPart(exchange.path, key),
    query: maskUrlPart(exchange.query, key),
    status: exchange.status,
    ms: exchange.ms,
    decision: maskText(exchange.decision, key) as Exchange['decision'],
    warnings: [...warningsOf(exchange), ...(exchange.violations ?? [])].map((text) => maskText(text, key)),
    request: masked(exchange.request, key),
    response: masked(exchange.response, key),
  }
}

const masked = ({ headers, body, truncated }: Message, key: string | undefined): JournalMessage => ({
  headers: maskHeaders(headers, key),
  body: `${maskText(body, key)}${truncated ? `… (${body === '' ? 'not kept' : 'cut at 16 KiB'})` : ''}`,
  ...(truncated && { truncated }),
})
