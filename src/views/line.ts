import type { Exchange } from '../domain/exchange.ts'
import { warningsOf } from '../domain/exchange.ts'
import { iso } from '../domain/instant.ts'
import { maskText, maskUrlPart } from '../domain/masking.ts'

/** Colours a text for a terminal; the identity where there is none. */
export interface Paint {
  readonly dim: (text: string) => string
  readonly good: (text: string) => string
  readonly warn: (text: string) => string
  readonly bad: (text: string) => string
}

/**
 * One exchange in one line for people:
 * `12:34:56.000 GET    /v1/pets?limit=2              200  free  45 left  1 ms`
 */
export function line(exchange: Exchange, paint: Paint): string {
  const { namespace, method, plan, remaining, ms } = exchange
  const query = exchange.query ? `?${exchange.query}` : ''
  const target = printable(maskUrlPart(`${exchange.path}${query}`, exchange.key))
  const where = namespace === 'default' ? '' : ` ${paint.dim(`[${namespace}]`)}`
  // The plan of a key that another service knows is that service's secret, and so may be what is left.
  const who = plan ?? (exchange.key !== undefined && exchange.decision !== 'refused:key' ? 'key' : undefined)
  const quota = Number.isNaN(remaining) ? '' : `${remaining} left`
  const left = who ? `${who.padEnd(10)} ${quota.padStart(11)}` : 'no key'.padEnd(22)
  const parts = [
    paint.dim(iso(exchange.at).slice(11, 23)),
    method.padEnd(7),
    target.padEnd(36),
    statusOf(exchange, paint),
    paint.dim(left),
    paint.dim(`${ms} ms`.padStart(7)),
  ]
  const notes = notesOf(exchange).map(printable)
  return `${parts.join(' ')}${where}${notes.length > 0 ? `  ${paint.warn(notes.join('; '))}` : ''}`
}

function statusOf({ status }: Exchange, paint: Paint): string {
  if (status === 0) return paint.bad('---')
  if (status < 400) return paint.good(String(status))
  return status < 500 ? paint.warn(String(status)) : paint.bad(String(status))
}

function notesOf(exchange: Exchange): string[] {
  const { decision, refusal, key } = exchange
  const cause = decision.startsWith('fault:') || decision === 'forced' ? [decision] : []
  const why = refusal && cause.length === 0 ? [`${refusal.code}: ${maskUrlPart(refusal.message, key)}`] : []
  return [...cause, ...why, ...warningsOf(exchange).map((warning) => maskText(warning, key))]
}

/** A client's text without what could move the cursor or forge a line of its own. */
export const printable = (text: string): string =>
  text.replace(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** One exchange as one line of JSON. */
export function jsonLine(exchange: Exchange): string {
  const { id, at, namespace, plan, operationId, method, path, query, status, ms, decision, remaining, key } =
    exchange
  const warnings = [...warningsOf(exchange), ...(exchange.violations ?? [])]
  return JSON.stringify({
    event: 'request',
    id,
    at: iso(at),
    namespace,
    plan: plan ?? null,
    operationId: operationId ?? null,
    method,
    path: maskUrlPart(path, key),
    query: maskUrlPart(query, key),
    status,
    ms,
    decision,
    remaining,
    ...(exchange.refusal && {
      code: exchange.refusal.code,
      reason: maskUrlPart(exchange.refusal.message, key),
    }),
    ...(warnings.length > 0 && { warnings: warnings.map((text) => maskText(text, key)) }),
  })
}
