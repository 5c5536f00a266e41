import type { Report } from '../../contract/generated/control.types.d.ts'
import type { FindingKind } from './findings.ts'

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
  violation: 'interfaceViolations',
} as const satisfies Record<FindingKind, keyof Report>

/** The count of a kind of finding in a report. */
export function countIn(report: Report, kind: FindingKind): number {
  const counted = report[MEMBERS[kind]] ?? 0
  return typeof counted === 'number' ? counted : counted.count
}

/** The counts of all kinds as members of a report, in its order. */
export function countsBy(count: (kind: FindingKind) => number) {
  const counts = Object.entries(MEMBERS).map(([kind, member]) => [member, count(kind as FindingKind)])
  return Object.fromEntries(counts) as Record<(typeof MEMBERS)[FindingKind], number>
}
