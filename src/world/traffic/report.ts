import type { FindingKind, Report } from '../../contract/generated/control.types.d.ts'

/** By kind of finding: its member in a report, and the words for one and for several. */
export const FINDINGS = {
  'deprecated-call': ['deprecatedCalls', 'call of a deprecated operation', 'calls of deprecated operations'],
  'rate-limited': ['rateLimited', 'request beyond a limit', 'requests beyond a limit'],
  'early-retry': ['earlyRetries', 'early retry', 'early retries'],
  banned: ['bans', 'ban', 'bans'],
  'invalid-request': ['invalidRequests', 'invalid request', 'invalid requests'],
  'ignored-input': ['ignoredInputs', 'ignored input', 'ignored inputs'],
  duplicate: ['possibleDuplicates', 'possible duplicate', 'possible duplicates'],
  'server-error': ['serverErrors', 'server error', 'server errors'],
  'hold-timeout': ['holdTimeouts', 'hold that timed out', 'holds that timed out'],
  violation: ['interfaceViolations', 'violation of the interface', 'violations of the interface'],
} as const satisfies Record<FindingKind, readonly [member: keyof Report, one: string, several: string]>

/** The count of a kind of finding in a report. */
export function countIn(report: Report, kind: FindingKind): number {
  const counted = report[FINDINGS[kind][0]] ?? 0
  return typeof counted === 'number' ? counted : counted.count
}

/** The counts of all kinds as members of a report, in its order. */
export function countsBy(count: (kind: FindingKind) => number) {
  const counts = Object.entries(FINDINGS).map(([kind, [member]]) => [member, count(kind as FindingKind)])
  return Object.fromEntries(counts) as Record<(typeof FINDINGS)[FindingKind][0], number>
}
