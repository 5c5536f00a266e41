import type { FindingKind } from './findings.ts'

/** What the client of a namespace did, counted as it happened. Its lists hold the first 100. */
export interface Report {
  readonly requests: number
  /** By operation, then by status. */
  readonly coverage: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** Operations that were never called. */
  readonly uncovered: readonly string[]
  readonly deprecatedCalls: number
  /** 429s for windows that were not forced. */
  readonly rateLimited: number
  /** Requests sent before the Retry-After of that key's last 429 had passed. */
  readonly earlyRetries: Counted<EarlyRetry>
  readonly bans: number
  /** 400, 405, 413, 415 and 404 `route_not_found`. */
  readonly invalidRequests: number
  /** Unknown parameters and fields, and a client's `id`. */
  readonly ignoredInputs: Counted<IgnoredInput>
  /** Two createPet of one key with equal body or Idempotency-Key within 60 s. */
  readonly possibleDuplicates: number
  /** 5xx that nobody asked for. */
  readonly serverErrors: number
  /** Requests that were held and answered although nothing released them; left out where there is none. */
  readonly holdTimeouts?: number
}

export interface Counted<T> {
  readonly count: number
  readonly first: readonly T[]
}

export interface EarlyRetry {
  /** Masked. */
  readonly key: string
  readonly at: string
  readonly allowedAt: string
  readonly earlyMs: number
}

export interface IgnoredInput {
  readonly id: string
  readonly at: string
  readonly operationId: string
  readonly input: string
}

const MEMBERS = {
  'deprecated-call': 'deprecatedCalls',
  'rate-limited': 'rateLimited',
  'early-retry': 'earlyRetries',
  banned: 'bans',
  'invalid-request': 'invalidRequests',
  'ignored-input': 'ignoredInputs',
  duplicate: 'possibleDuplicates',
  'server-error': 'serverErrors',
  'hold-timeout': 'holdTimeouts',
} as const satisfies Record<FindingKind, keyof Report>

/** How many findings of a kind a report has counted. */
export function countIn(report: Report, kind: FindingKind): number {
  const counted = report[MEMBERS[kind]] ?? 0
  return typeof counted === 'number' ? counted : counted.count
}
