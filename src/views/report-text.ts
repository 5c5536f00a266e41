import { retriedEarly } from '../domain/backoff.ts'
import type { Report } from '../domain/report.ts'
import { printable } from './line.ts'
import type { Colours } from './paint.ts'
import { textTable } from './text-table.ts'

/** What a report counts, in words. */
export const reportCounts = (report: Report): readonly (readonly [string, number])[] => [
  ['requests', report.requests],
  ['calls of deprecated operations', report.deprecatedCalls],
  ['refused for a rate limit', report.rateLimited],
  ['early retries', report.earlyRetries.count],
  ['bans', report.bans],
  ['invalid requests', report.invalidRequests],
  ['ignored inputs', report.ignoredInputs.count],
  ['possible duplicates', report.possibleDuplicates],
  ['server errors', report.serverErrors],
]

/** The answers of each operation: `200: 4, 401: 1`. */
export const coverageRows = ({ coverage }: Report): readonly (readonly [string, string])[] =>
  Object.entries(coverage).map(([operation, statuses]) => [
    operation,
    Object.entries(statuses)
      .map(([status, count]) => `${status}: ${count}`)
      .join(', '),
  ])

/** What a client did, for people: counts, coverage, and what deserves a look. */
export function reportText(report: Report, paint: Colours): string {
  const rows = reportCounts(report).map(([what, count]) => [what, String(count)])
  return [
    textTable(['WHAT', '>COUNT'], rows, paint.strong),
    coverageText(report, paint),
    listText(
      'Early retries',
      report.earlyRetries,
      ({ key, at, earlyMs }) => `${at} ${key} ${retriedEarly(earlyMs)}`,
    ),
    listText(
      'Ignored inputs',
      report.ignoredInputs,
      ({ at, id, operationId, input }) => `${at} ${id} ${operationId}: ${input}`,
    ),
  ]
    .filter(Boolean)
    .join('\n')
}

function coverageText(report: Report, paint: Colours): string {
  const never = report.uncovered.map((operation) => [operation, paint.warn('never called')])
  return textTable(['OPERATION', 'ANSWERS'], [...coverageRows(report), ...never], paint.strong)
}

function listText<T>(
  title: string,
  { count, first }: { count: number; first: readonly T[] },
  line: (item: T) => string,
): string {
  if (count === 0) return ''
  const more = count > first.length ? [`  … ${count - first.length} more`] : []
  return `${[`${title}:`, ...first.map((item) => `  ${printable(line(item))}`), ...more].join('\n')}\n`
}
