import type { Report } from '../contract/generated/control.types.d.ts'
import { inThousands } from '../text/in-thousands.ts'
import { printable } from '../text/printable.ts'
import { statusWord } from '../text/status-word.ts'
import { FINDING_KINDS, retriedEarly } from '../world/traffic/findings.ts'
import { countIn, FINDINGS } from '../world/traffic/report.ts'
import type { Colours } from './colours.ts'
import { textTable } from './text-table.ts'
import { wrapLine } from './wrap.ts'

/** The counts of a report with their names. */
export const reportCounts = (report: Report): readonly (readonly [string, number])[] => [
  ['requests', report.requests],
  ...FINDING_KINDS.map((kind) => [FINDINGS[kind][2], countIn(report, kind)] as const),
]

/** The number of answers of each operation by status: `200: 4, 401: 1`. */
export const coverageRows = ({ coverage }: Report): readonly (readonly [string, string])[] =>
  Object.entries(coverage).map(([operation, statuses]) => [
    operation,
    Object.entries(statuses)
      .map(([status, count]) => `${statusWord(status)}: ${inThousands(count)}`)
      .join(', '),
  ])

/** A report for people: counts, coverage, and the first findings. */
export function reportText(report: Report, { strong, warn }: Colours, columns?: number): string {
  const never = report.uncovered.map((operation) => [operation, { text: 'never called', paint: warn }])
  const lists = [
    linesOf('Early retries', report.earlyRetries, (it) => `${it.key} ${retriedEarly(it.earlyMs)}`),
    linesOf('Ignored inputs', report.ignoredInputs, (it) => `${it.id} ${it.operationId}: ${it.input}`),
  ]
  return [
    textTable(['~WHAT', '>COUNT'], reportCounts(report), strong, columns),
    textTable(['OPERATION', '~ANSWERS'], [...coverageRows(report), ...never], strong, columns),
    ...lists.map((lines) => lines.map((line) => `${wrapLine(line, columns, 4)}\n`).join('')),
  ]
    .filter(Boolean)
    .join('\n')
}

/** The first findings of a kind, each with its instant and namespace; empty if there are none. */
function linesOf<T extends { readonly at: string; readonly namespace?: string }>(
  title: string,
  { count, first }: { readonly count: number; readonly first: readonly T[] },
  inWords: (item: T) => string,
): string[] {
  if (count === 0) return []
  const lines = first.map((item) => [item.at, item.namespace, inWords(item)].filter(Boolean).join(' '))
  const more = count > first.length ? [`… ${inThousands(count - first.length)} more`] : []
  return [`${title}:`, ...[...lines, ...more].map((line) => `  ${printable(line)}`)]
}
