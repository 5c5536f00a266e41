import type { Decision } from '../../contract/generated/control.types.d.ts'
import { inThousands } from '../../text/in-thousands.ts'
import { plural } from '../../text/plural.ts'
import { secondsText } from '../../time/duration.ts'
import type { earlyBy } from '../limits/meter.ts'
import { FINDINGS } from './report.ts'

/** An error or another notable fact of an exchange, derived once, when it is recorded. */
export type Finding =
  | { readonly kind: 'deprecated-call' }
  | { readonly kind: 'rate-limited' }
  /** The request came `earlyMs` before `allowedAt`, at which the Retry-After of its key's last refusal had passed. */
  | { readonly kind: 'early-retry'; readonly earlyMs: number; readonly allowedAt: number }
  /** The refusal that started a ban. */
  | { readonly kind: 'banned' }
  | { readonly kind: 'invalid-request' }
  /** Parameters and fields that the interface does not define; `more`: how many others there were. */
  | { readonly kind: 'ignored-input'; readonly inputs: readonly string[]; readonly more: number }
  /** Probably a repetition of the exchange with the id `of`. */
  | { readonly kind: 'duplicate'; readonly of: string }
  | { readonly kind: 'server-error' }
  /** The request was held for `after` (a duration), and answered although no rule or call released it. */
  | { readonly kind: 'hold-timeout'; readonly after: string }
  /** The request or the response of a service behind the proxy violates the contract; each text is a sentence. */
  | { readonly kind: 'violation'; readonly texts: readonly string[] }

export type FindingKind = Finding['kind']

export type FindingOf<Kind extends FindingKind> = Extract<Finding, { kind: Kind }>

export const FINDING_KINDS = Object.keys(FINDINGS) as readonly FindingKind[]

/** `2 early retries`. */
export function findingCount(kind: FindingKind, count: number): string {
  const [, one, several] = FINDINGS[kind]
  return plural(count, one, several)
}

/** The facts from which findings are derived. */
export interface Observed {
  readonly status: number
  readonly decision: Decision
  /** `Prefer`, a fault rule or a trigger key produced the answer on purpose. */
  readonly isIntended: boolean
  readonly isDeprecated: boolean
  readonly startsBan: boolean
  /** Undefined if its key did not have to wait. */
  readonly early: ReturnType<typeof earlyBy>
  readonly ignored: readonly string[]
  readonly ignoredMore: number
  readonly duplicateOf: string | undefined
  /** The duration of a hold that timed out. */
  readonly holdTimeout: string | undefined
  readonly violations: readonly string[]
  /** The code of the refusal before a rename. */
  readonly code: string | undefined
}

const NOTHING: readonly Finding[] = []
const DEPRECATED: Finding = { kind: 'deprecated-call' }

export function findingsOf(observed: Observed): readonly Finding[] {
  const { early, status, decision, isIntended, ignored, ignoredMore, duplicateOf } = observed
  const found: Finding[] = observed.isDeprecated ? [DEPRECATED] : []
  if (decision === 'refused:window') found.push({ kind: 'rate-limited' })
  if (early) found.push({ kind: 'early-retry', ...early })
  if (observed.startsBan) found.push({ kind: 'banned' })
  // An error that was produced on purpose is not a finding.
  if (!isIntended && isInvalid(observed)) found.push({ kind: 'invalid-request' })
  if (ignored.length + ignoredMore > 0)
    found.push({ kind: 'ignored-input', inputs: ignored, more: ignoredMore })
  if (duplicateOf !== undefined) found.push({ kind: 'duplicate', of: duplicateOf })
  if (!isIntended && isServerError(status)) found.push({ kind: 'server-error' })
  if (observed.holdTimeout !== undefined) found.push({ kind: 'hold-timeout', after: observed.holdTimeout })
  if (observed.violations.length > 0) found.push({ kind: 'violation', texts: observed.violations })
  // A copy takes less memory: an array that grew has spare capacity.
  return found.length > 0 ? found.slice() : NOTHING
}

const isInvalid = ({ status, code }: Observed): boolean =>
  status === 400 || status === 405 || status === 413 || status === 415 || code === 'route_not_found'

/** Except 501, which says that there is no such operation. */
const isServerError = (status: number): boolean => status >= 500 && status !== 501

/** The amount that a finding adds to the count of its kind: each ignored input and each violation counts. */
export function weightOf(finding: Finding): number {
  if (finding.kind === 'violation') return finding.texts.length
  return finding.kind === 'ignored-input' ? finding.inputs.length + finding.more : 1
}

/** The texts of a finding, one per ignored input. `reason`: the text of a finding that the answer itself states. */
export function findingTexts(finding: Finding, operationId: string | undefined, reason: string): string[] {
  switch (finding.kind) {
    case 'deprecated-call':
      return [`${operationId} is deprecated`]
    case 'early-retry':
      return [retriedEarly(finding.earlyMs)]
    case 'ignored-input':
      return [
        ...finding.inputs.map((input) => `${input} is not known and was ignored`),
        ...(finding.more > 0 ? [`${inThousands(finding.more)} more that are not known were ignored`] : []),
      ]
    case 'duplicate':
      return [`possible duplicate of ${finding.of}`]
    case 'hold-timeout':
      return [`held for ${finding.after} and not released`]
    case 'violation':
      return [...finding.texts]
    default:
      return [reason]
  }
}

/** `earlyMs`: how long a retry came before it was allowed, in milliseconds. */
export const retriedEarly = (earlyMs: number): string =>
  `retried ${secondsText(earlyMs)} before Retry-After had passed`
