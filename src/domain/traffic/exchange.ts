import type { Decision } from '../../contract/generated/control.types.d.ts'
import type { PlanName } from '../limits/plan.ts'
import { inThousands } from '../text/listed.ts'
import type { Secrets } from './masking.ts'

/**
 * One request and its answer, as it happened: the value that every recorder takes.
 * It holds whole keys; only its views (`JournalEntry` of the control API) leave the process, and those are masked.
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
  /** Parameters and fields that the interface does not know and the sandbox ignored. */
  readonly ignored: readonly string[]
  /** How many more of them there were than are named. */
  readonly ignoredMore?: number
  /** The id of an earlier exchange that this one looks like a repetition of. */
  readonly duplicateOf: string | undefined
  /** In what it does not hold to the contract, in sentences; only the proxy judges. */
  readonly violations?: readonly string[]
  readonly deprecated: boolean
  readonly startsBan: boolean
  readonly request: Message
  readonly response: Message
  /** What the limit headers said: requests left in the reported window. */
  readonly remaining: number
  /** Seconds of `Retry-After`, where a window or a ban refused the request. */
  readonly retryAfter: number | undefined
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

/** What deserves a second look, in words. */
export const warningsOf = ({ ignored, ignoredMore = 0, duplicateOf }: Exchange): string[] => [
  ...ignored.map((input) => `${input} is not known and was ignored`),
  ...(ignoredMore > 0 ? [`${inThousands(ignoredMore)} more that are not known were ignored`] : []),
  ...(duplicateOf ? [`possible duplicate of ${duplicateOf}`] : []),
]

/** About how many bytes an exchange holds, with everything that was sent: what it costs to keep it. */
export function sizeOf(exchange: Exchange): number {
  const { request, response, ignored, violations = [], refusal, path, query, key = '' } = exchange
  const texts = [path, query, key, refusal?.message ?? '', ...ignored, ...violations]
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
