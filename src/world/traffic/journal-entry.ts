import type {
  ActedEffect,
  JournalEntry,
  JournalMessage,
  PetChanged,
  ReasonView,
  Windows,
} from '../../contract/generated/control.types.d.ts'
import { iso } from '../../time/instant.ts'
import { isDelay } from '../faults/fault.ts'
import { maskKey } from '../keys/secrets.ts'
import type { ChargeResult, Span } from '../limits/meter.ts'
import { UNLIMITED } from '../plan.ts'
import type { Exchange, Message } from './exchange.ts'
import { type Finding, type FindingKind, findingTexts } from './findings.ts'
import { fieldRecord } from './message.ts'
import { type Acted, type Changed, FORCED } from './reason.ts'
import { faultKind, type ReasonWords, reasonWords } from './reason-words.ts'

/** A journal entry without the messages. */
export type EntryHead = Omit<JournalEntry, 'request' | 'response'>

type Mask = (text: string) => string

/** An exchange for people and machines, with all keys masked. */
export function entryOf(exchange: Exchange): JournalEntry {
  const { secrets } = exchange
  const message = (sent: Message): JournalMessage => ({
    headers: fieldRecord(secrets.masks.headers(sent.headers)),
    body: `${secrets.masks.text(sent.body, sent.truncated)}${missingIn(sent)}`,
    ...(sent.truncated && { truncated: true }),
  })
  return { ...entryHead(exchange), request: message(exchange.request), response: message(exchange.response) }
}

export function entryHead(exchange: Exchange): EntryHead {
  const { key, secrets, acted, charged, changed, test } = exchange
  const { mask } = secrets
  const words = reasonWords(exchange)
  const reason = reasonOf(exchange, words, mask)
  return {
    id: exchange.id,
    at: iso(exchange.at),
    receivedAt: iso(exchange.receivedAt),
    namespace: exchange.namespace,
    key: key === undefined ? null : maskKey(key),
    plan: exchange.plan ?? null,
    operationId: exchange.operationId ?? null,
    method: exchange.method,
    path: mask(exchange.path),
    query: mask(exchange.query),
    status: exchange.status,
    ms: exchange.ms,
    decision: exchange.decision.replace(/(?<=^fault:).+/s, mask) as Exchange['decision'],
    why: reason.text,
    reason,
    ...(acted && { effect: effectOf(exchange, acted, mask) }),
    ...(charged && { quota: quotaOf(charged) }),
    ...(changed && { changed: changedOf(changed) }),
    findings: exchange.findings.map((finding) => findingOf(finding, exchange, words, mask)),
    ...(test !== undefined && { test: mask(test) }),
    warnings: warningsOf(exchange, words).map(mask),
  }
}

/** The remarks on a journal entry: why it was not served normally, in sentences, then its findings. */
export function notesOf({ reason: { code, text }, findings }: EntryHead): string {
  const why = code === 'served' ? '' : text
  const others = findings.map((finding) => finding.text).filter((other) => other !== why)
  if (why === '' || others.length === 0) return why || others.join('; ')
  return `${why} Also: ${others.join('; ')}`
}

/** {@link notesOf} of an exchange; most have none. */
export const notesAbout = (exchange: Exchange): string =>
  reasonCode(exchange) === 'served' && exchange.findings.length === 0 ? '' : notesOf(entryHead(exchange))

/** The code of the reason that the journal shows: that of the fault rule, if one acted. */
export const reasonCode = ({ acted, reason }: Exchange): string =>
  acted ? faultKind(acted.effect) : reason.code

const WARNINGS: readonly FindingKind[] = ['ignored-input', 'duplicate', 'hold-timeout', 'violation']

/** Facts that the response does not show. */
const warningsOf = ({ findings, operationId }: Exchange, { text }: ReasonWords): string[] =>
  findings
    .filter(({ kind }) => WARNINGS.includes(kind))
    .flatMap((finding) => findingTexts(finding, operationId, text))

function findingOf(finding: Finding, { operationId }: Exchange, { text }: ReasonWords, mask: Mask) {
  const view = { ...finding, text: mask(findingTexts(finding, operationId, text).join('; ')) }
  if (view.kind === 'early-retry') return { ...view, allowedAt: iso(view.allowedAt) }
  if (view.kind === 'violation') return { ...view, texts: view.texts.map(mask) }
  return view.kind === 'ignored-input' ? { ...view, inputs: view.inputs.map(mask) } : view
}

function reasonOf(exchange: Exchange, words: ReasonWords, mask: Mask): ReasonView {
  const { acted, charged } = exchange
  const until = charged && charged.outcome !== 'counted' ? charged.quota.resetsAt : undefined
  return {
    code: mask(reasonCode(exchange)),
    ...words,
    text: mask(words.text),
    ...(charged && { window: charged.span, limit: charged.quota.limit }),
    ...(until !== undefined && { until: iso(until) }),
    ...(acted && { fault: maskedEffect(acted.effect, mask), when: acted.when }),
  }
}

/** A fault rule can contain secrets in its code and message. */
function maskedEffect(effect: Acted['effect'], mask: Mask): Acted['effect'] {
  if (!('status' in effect)) return effect
  const { code, message } = effect
  return {
    ...effect,
    ...(code !== undefined && { code: mask(code) }),
    ...(message !== undefined && { message: mask(message) }),
  }
}

function effectOf(exchange: Exchange, { rule, effect, ms, timeout, lost }: Acted, mask: Mask): ActedEffect {
  const isDelayed = isDelay(effect)
  const { status, reason } = lost ?? exchange
  return {
    rule: mask(rule),
    kind: faultKind(effect),
    carriedOut: (isDelayed || lost !== undefined) && status < 400 && reason.code !== FORCED.code,
    ...(lost && { status: lost.status }),
    ...((isDelayed || ms !== undefined) && { ms: ms ?? 0 }),
    ...(timeout && { timedOut: true }),
  }
}

/** The quotas before and after a request. A counted request uses one of each window; a refused one uses none. */
function quotaOf(charged: ChargeResult): { readonly before: Windows; readonly after: Windows } {
  const windowOf = (span: Span) => {
    const { limit, remaining, resetsAt } = charged[span]
    const used = charged.outcome === 'counted' && limit !== UNLIMITED ? 1 : 0
    const after = { limit, remaining, resetsAt: iso(resetsAt) }
    return { before: { ...after, remaining: charged.triggered === span ? limit : remaining + used }, after }
  }
  const [minute, day] = [windowOf('minute'), windowOf('day')]
  return {
    before: { minute: minute.before, day: day.before },
    after: { minute: minute.after, day: day.after },
  }
}

const DIFFERENCE = { created: 1, updated: 0, deleted: -1 } as const

const changedOf = ({ change, id, pets }: Changed): PetChanged => ({
  change,
  // An int64 may not fit into a number of JSON.
  id: String(id),
  pets: { before: pets - DIFFERENCE[change], after: pets },
})

/** A note at the end of an incomplete body. */
function missingIn({ body, truncated, undecodable }: Message): string {
  if (!truncated) return ''
  if (undecodable) return '… (not UTF-8; other bytes were sent)'
  return `… (${body === '' ? 'not kept' : 'cut at 16 KiB'})`
}
