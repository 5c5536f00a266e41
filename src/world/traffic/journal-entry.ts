import type { JournalEntry, JournalMessage } from '../../contract/generated/control.types.d.ts'
import { iso } from '../../time/instant.ts'
import { type Exchange, type Message, warningsOf } from './exchange.ts'
import { findingView } from './findings.ts'
import { maskKey } from './masking.ts'

/** An exchange as people and machines see it: nothing in it holds a whole key. */
export function entryOf(exchange: Exchange): JournalEntry {
  const { key, secrets } = exchange
  const mask = (text: string) => secrets.mask(text, key)
  const message = (sent: Message): JournalMessage => ({
    headers: secrets.maskHeaders(sent.headers, key),
    body: `${secrets.maskBody(sent.body, key, sent.truncated)}${missingIn(sent)}`,
    ...(sent.truncated && { truncated: true }),
  })
  return {
    id: exchange.id,
    at: iso(exchange.at),
    namespace: exchange.namespace,
    key: key === undefined ? null : maskKey(key),
    plan: exchange.plan ?? null,
    operationId: exchange.operationId ?? null,
    method: exchange.method,
    path: mask(exchange.path),
    query: secrets.maskTarget(exchange.query, key),
    status: exchange.status,
    ms: exchange.ms,
    decision: mask(exchange.decision) as Exchange['decision'],
    findings: exchange.findings.map((finding) => findingView(finding, mask)),
    ...(exchange.test !== undefined && { test: mask(exchange.test) }),
    warnings: [...warningsOf(exchange), ...(exchange.violations ?? [])].map(mask),
    request: message(exchange.request),
    response: message(exchange.response),
  }
}

/** Says at the end of a body what of it is missing. */
function missingIn({ body, truncated, undecodable }: Message): string {
  if (!truncated) return ''
  if (undecodable) return '… (not UTF-8; other bytes were sent)'
  return `… (${body === '' ? 'not kept' : 'cut at 16 KiB'})`
}
