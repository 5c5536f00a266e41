import type { PlanName } from '../limits/plan.ts'
import { type Finding, type FindingView, findingTexts } from './findings.ts'
import type { Secrets } from './masking.ts'

/** What was decided about a request, and by whom. */
export type Decision =
  | 'served'
  | 'refused:key'
  | 'refused:ban'
  | 'refused:window'
  | 'refused:request'
  | 'forced'
  | `fault:${string}`

/**
 * One request and its answer, as it happened: the value that every recorder takes.
 * It holds whole keys; only its views (`JournalEntry`) leave the process, and those are masked.
 */
export interface Exchange {
  /** `req_000001`, as in `X-Request-Id`. */
  readonly id: string
  /** When it arrived, by the clock of its namespace, in milliseconds since the epoch. */
  readonly at: number
  readonly namespace: string
  /** The key without its suffix; undefined where none was sent. */
  readonly key: string | undefined
  readonly plan: PlanName | undefined
  readonly operationId: string | undefined
  readonly method: string
  readonly path: string
  /** Without the question mark; empty where there is none. */
  readonly query: string
  /** 0 where a wire fault left the client without a status. */
  readonly status: number
  /** How long the answer took, in milliseconds of real time. */
  readonly ms: number
  readonly decision: Decision
  /** What it did wrong, and what deserves a second look; everyone who counts or shows it reads it here. */
  readonly findings: readonly Finding[]
  /** The test that sent it, as far as it is known. */
  readonly test?: string
  /** Where it violates the contract, in sentences; only the proxy checks that. */
  readonly violations?: readonly string[]
  readonly request: Message
  readonly response: Message
  /** What the limit headers said: requests left in the reported window. */
  readonly remaining: number
  /** Why the request was refused; the code as the catalogue has it, before a rename. */
  readonly refusal: { readonly code: string; readonly message: string } | undefined
  /** Masks the keys that its sandbox knows. */
  readonly secrets: Secrets
}

export interface Message {
  /** Flat: name, value, … in the order of the wire. */
  readonly headers: readonly string[]
  /** At most 16 KiB of it. */
  readonly body: string
  readonly truncated?: true
}

/** An exchange as people and machines see it: nothing in it holds a whole key. */
export interface JournalEntry {
  readonly id: string
  /** ISO 8601, UTC, with milliseconds. */
  readonly at: string
  readonly namespace: string
  readonly key: string | null
  readonly plan: PlanName | null
  readonly operationId: string | null
  readonly method: string
  readonly path: string
  readonly query: string
  readonly status: number
  readonly ms: number
  readonly decision: Decision
  readonly findings: readonly FindingView[]
  /** The test that sent it, where one is known. */
  readonly test?: string
  readonly warnings: readonly string[]
  readonly request: JournalMessage
  readonly response: JournalMessage
}

export interface JournalMessage {
  readonly headers: Readonly<Record<string, string>>
  /** At most 16 KiB; a longer one is cut and says so at its end. */
  readonly body: string
  readonly truncated?: true
}

const WARNINGS: readonly string[] = ['ignored-input', 'duplicate', 'hold-timeout'] satisfies Finding['kind'][]

/** What the answer does not tell the client, in sentences. */
export const warningsOf = ({ findings, operationId }: Exchange): string[] =>
  findings
    .filter(({ kind }) => WARNINGS.includes(kind))
    .flatMap((finding) => findingTexts(finding, operationId))

/** About how many bytes an exchange holds, with everything that was sent: what it costs to keep it. */
export function sizeOf(exchange: Exchange): number {
  const { request, response, findings, violations = [], refusal, path, query, key = '', test = '' } = exchange
  const inputs = findings.flatMap((finding) => (finding.kind === 'ignored-input' ? finding.inputs : []))
  const texts = [path, query, key, test, refusal?.message ?? '', ...inputs, ...violations]
  return (
    FIXED +
    sizeOfTexts(texts) +
    sizeOfTexts(request.headers) +
    sizeOfTexts(response.headers) +
    // A text with one character beyond Latin-1 takes two bytes for each of them.
    2 * (request.body.length + response.body.length)
  )
}

const FIXED = 1024

/** What a text takes beside its characters. */
const TEXT = 32

function sizeOfTexts(texts: readonly string[]): number {
  let size = 0
  for (const text of texts) size += TEXT + text.length
  return size
}
