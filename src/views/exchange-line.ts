import { printable, printableJson } from '../text/printable.ts'
import { iso } from '../time/instant.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import { warningsOf } from '../world/traffic/exchange.ts'
import { findingTexts, findingView } from '../world/traffic/findings.ts'
import { maskKey } from '../world/traffic/masking.ts'

export { printable } from '../text/printable.ts'

/** Colours for a terminal; each returns the text unchanged where colours are off. */
export interface Paint {
  readonly dim: (text: string) => string
  readonly good: (text: string) => string
  readonly warn: (text: string) => string
  readonly bad: (text: string) => string
}

/**
 * One exchange in one line for people:
 * `12:34:56.000 GET    /v1/pets?limit=2              200  free  45 left  1 ms`
 * `columns`: of the terminal.
 */
export function line(exchange: Exchange, paint: Paint, columns = Infinity): string {
  const { namespace, method, ms, key, secrets } = exchange
  const query = exchange.query ? `?${exchange.query}` : ''
  const target = printable(secrets.maskTarget(`${exchange.path}${query}`, key))
  const where = namespace === 'default' ? '' : ` ${paint.dim(`[${namespace}]`)}`
  const parts = [
    paint.dim(iso(exchange.at).slice(11, 23)),
    method.padEnd(7),
    columns < NARROW ? target : target.padEnd(36),
    statusOf(exchange, paint),
    paint.dim(callerOf(exchange)),
    paint.dim(`${ms} ms`.padStart(7)),
  ]
  const notes = notesOf(exchange).map(printable)
  const text = `${parts.join(' ')}${where}${notes.length > 0 ? `  ${paint.warn(notes.join('; '))}` : ''}`
  return columns < NARROW ? text.replaceAll(/ {2,}/g, ' ') : text
}

/** Below this many columns, columns are not aligned. */
const NARROW = 110

/** The plan of the request and the rest of its quota, in 22 columns. */
function callerOf({ plan, key, decision, remaining }: Exchange): string {
  if (key === undefined) return 'no key'.padEnd(22)
  if (decision === 'refused:key') return `key ${maskKey(key)}`.padEnd(22)
  const quota = Number.isNaN(remaining) ? '' : `${remaining} left`
  // A proxy does not know the plan of a key.
  return `${(plan ?? 'key').padEnd(10)} ${quota.padStart(11)}`
}

function statusOf({ status }: Exchange, paint: Paint): string {
  if (status === 0) return paint.bad('---')
  if (status < 400) return paint.good(String(status))
  return status < 500 ? paint.warn(String(status)) : paint.bad(String(status))
}

function notesOf(exchange: Exchange): string[] {
  const { decision, refusal, key, secrets, findings } = exchange
  const cause = decision.startsWith('fault:') || decision === 'forced' ? [decision] : []
  const why = refusal && cause.length === 0 ? [`${refusal.code}: ${refusal.message}`] : []
  const early = findings
    .filter(({ kind }) => kind === 'early-retry')
    .flatMap((found) => findingTexts(found, undefined))
  return [...cause, ...why, ...early, ...warningsOf(exchange)].map((note) => secrets.mask(note, key))
}

/** One exchange as one line of JSON. */
export function jsonLine(exchange: Exchange): string {
  const { id, at, namespace, plan, operationId, method, path, query, status, ms, decision, remaining } =
    exchange
  const { key, secrets, refusal, findings, test } = exchange
  const mask = (text: string) => secrets.mask(text, key)
  const warnings = [...warningsOf(exchange), ...(exchange.violations ?? [])].map(mask)
  return printableJson(
    JSON.stringify({
      event: 'request',
      id,
      at: iso(at),
      namespace,
      plan: plan ?? null,
      operationId: operationId ?? null,
      method,
      path: mask(path),
      query: secrets.maskTarget(query, key),
      status,
      ms,
      decision,
      remaining,
      ...(refusal && { code: mask(refusal.code), reason: mask(refusal.message) }),
      ...(test !== undefined && { test: mask(test) }),
      ...(findings.length > 0 && { findings: findings.map((finding) => findingView(finding, mask)) }),
      ...(warnings.length > 0 && { warnings }),
    }),
  )
}
