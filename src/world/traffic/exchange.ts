import type { JournalEntry } from '../../contract/generated/control.types.d.ts'
import type { Secrets } from '../keys/secrets.ts'
import type { ChargeResult } from '../limits/meter.ts'
import type { PlanName } from '../plan.ts'
import type { Finding } from './findings.ts'
import type { Acted, Changed, Reason } from './reason.ts'

/**
 * A request and its answer as they happened, the value that every recorder receives. It contains unmasked keys. Only
 * its views (`JournalEntry` of the control API), which are masked, leave the process.
 */
export interface Exchange
  extends Pick<JournalEntry, 'id' | 'namespace' | 'method' | 'path' | 'status' | 'decision'> {
  /** When it arrived, by the clock of its namespace, in milliseconds since the epoch. */
  readonly at: number
  /** When it arrived in real time, in milliseconds since the epoch. */
  readonly receivedAt: number
  /** The key without its suffix; undefined if none was sent. */
  readonly key: string | undefined
  readonly plan: PlanName | undefined
  readonly operationId: string | undefined
  /** Without the question mark; empty if there is none. */
  readonly query: string
  /** The duration of the answer, in milliseconds of real time. */
  readonly ms: number
  /** Its errors and other notable facts, as report, journal and page show them. */
  readonly findings: readonly Finding[]
  /** The test that sent it, if known. */
  readonly test: string | undefined
  /** The service behind the proxy has answered. */
  readonly isRelayed?: true
  readonly request: Message
  readonly response: Message
  readonly reason: Reason
  /** The effect of a fault rule or a trigger key. */
  readonly acted: Acted | undefined
  /** The result of metering; undefined without a valid key, and for an answer of another service. */
  readonly charged: ChargeResult | undefined
  readonly changed: Changed | undefined
  /** Masks the secrets that its sandbox has seen. */
  readonly secrets: Secrets
}

export interface Message {
  /** Flat: name, value, … in the order of the wire. */
  readonly headers: readonly string[]
  /** The first 16 KiB of the body. */
  readonly body: string
  /** The body was cut. */
  readonly truncated?: true
  /** The body was not valid UTF-8: bytes that could not be decoded are U+FFFD. */
  readonly undecodable?: true
}

/** About how many bytes it takes to keep an exchange. */
export function sizeOf(exchange: Exchange): number {
  const { request, response, findings, reason, acted } = exchange
  const { path, query, key = '', test = '' } = exchange
  // A string with one character beyond Latin-1 takes two bytes per character.
  const bodies = 2 * (request.body.length + response.body.length)
  let size = EXCHANGE_BYTES + bodies + sizeOfTexts(request.headers) + sizeOfTexts(response.headers)
  for (const finding of findings) {
    if (finding.kind === 'ignored-input') size += sizeOfTexts(finding.inputs)
    if (finding.kind === 'violation') size += sizeOfTexts(finding.texts)
  }
  const lost = acted?.lost?.reason.message ?? ''
  for (const text of [path, query, key, test, reason.message ?? '', lost]) size += TEXT_BYTES + text.length
  return size
}

const EXCHANGE_BYTES = 1024

/** The bytes of a string in addition to its characters. */
const TEXT_BYTES = 32

export function sizeOfTexts(texts: readonly string[]): number {
  let size = 0
  for (const text of texts) size += TEXT_BYTES + text.length
  return size
}
