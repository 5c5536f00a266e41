import type { Report } from '../contract/generated/control.types.d.ts'
import { printable } from '../text/printable.ts'
import { statusWord } from '../text/status-word.ts'
import { FINDING_KINDS, FINDING_WORDS, retriedEarly } from '../world/traffic/findings.ts'
import { countIn } from '../world/traffic/report.ts'
import type { Colours } from './colours.ts'
import { textTable } from './text-table.ts'
import { wrapLine } from './wrap.ts'

/** The counts of a report with their names. */
export const reportCounts = (report: Report): readonly (readonly [string, number])[] => [
  ['requests', report.requests],
  ...FINDING_KINDS.map((kind) => [FINDING_WORDS[kind][1], countIn(report, kind)] as const),
]

/** The number of answers of each operation by status: `200: 4, 401: 1`. */
export const coverageRows = ({ coverage }: Report): readonly (readonly [string, string])[] =>
  Object.entries(coverage).map(([operation, statuses]) => [
    operation,
    Object.entries(statuses)
      .map(([status, count]) => `${statusWord(status)}: ${count}`)
      .join(', '),
  ])

/** A report for people: counts, coverage, and the first findings. */
export function reportText(report: Report, paint: Colours, columns?: number): string {
  const rows = reportCounts(report).map(([what, count]) => [what, String(count)])
  return [
    textTable(['~WHAT', '>COUNT'], rows, paint.strong, columns),
    coverageText(report, paint, columns),
    listText(
      'Early retries',
      report.earlyRetries,
      (item) => `${whereOf(item)}${item.key} ${retriedEarly(item.earlyMs)}`,
      columns,
    ),
    listText(
      'Ignored inputs',
      report.ignoredInputs,
      (item) => `${whereOf(item)}${item.id} ${item.operationId}: ${item.input}`,
      columns,
    ),
  ]
    .filter(Boolean)
    .join('\n')
}

const whereOf = ({ at, namespace }: { readonly at: string; readonly namespace?: string }): string =>
  namespace === undefined ? `${at} ` : `${at} ${namespace} `

function coverageText(report: Report, paint: Colours, columns: number | undefined): string {
  const never = report.uncovered.map((operation) => [operation, { text: 'never called', paint: paint.warn }])
  return textTable(['OPERATION', '~ANSWERS'], [...coverageRows(report), ...never], paint.strong, columns)
}

function listText<T>(
  title: string,
  { count, first }: { count: number; first: readonly T[] },
  line: (item: T) => string,
  columns: number | undefined,
): string {
  if (count === 0) return ''
  const more = count > first.length ? [`  … ${count - first.length} more`] : []
  return `${[`${title}:`, ...first.map((item) => wrapLine(`  ${printable(line(item))}`, columns, 4)), ...more].join('\n')}\n`
}
