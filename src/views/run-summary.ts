import type { Report } from '../contract/generated/control.types.d.ts'
import type { GateResult } from '../report/gate.ts'
import type { RunSummary } from '../report/run-summary.ts'
import { printable } from './exchange-line.ts'
import type { JUnitSuite } from './junit.ts'
import { markdownTable, markdownText } from './markdown.ts'
import type { Colours } from './paint.ts'
import { coverageRows, reportCounts } from './report-text.ts'

/** A command that was run, and its exit code. */
export interface CommandRun {
  readonly command: string
  readonly code: number
  /** ISO 8601. */
  readonly at: string
  /** Real time, in milliseconds. */
  readonly ms: number
}

/** A report in a few lines, where nobody looks at a table. */
export function shortReport(report: Report): string {
  const counts = reportCounts(report).filter(([what, count]) => what === 'requests' || count > 0)
  const covered = coverageRows(report).map(([operation, answers]) => `${operation} ${answers}`)
  const never = report.uncovered.length > 0 ? [`never called ${report.uncovered.join(', ')}`] : []
  return [
    `report: ${counts.map(([what, count]) => `${what} ${count}`).join(', ')}`,
    `answers: ${[...covered, ...never].join('; ')}`,
  ]
    .map((line) => `${line}\n`)
    .join('')
}

/** How keys waited that were refused in a row; nothing where none was. */
export const backoffText = (backoff: readonly string[]): string =>
  backoff.length === 0 ? '' : `Backoff:\n${backoff.map((line) => `  ${printable(line)}\n`).join('')}`

/** Each gate in a line, with what violated it below. */
export const gatesText = (gates: readonly GateResult[], paint: Colours): string =>
  gates
    .map((result) => {
      const { gate, count } = result
      if (count === 0) return `${paint.good('passed')}  ${gate}\n`
      const details = offenderLines(result).map((line) => `          ${line}\n`)
      return `${paint.bad('failed')}  ${gate}  ${countText(result)}\n${details.join('')}`
    })
    .join('')

/** As a JUnit suite: the command, and each gate. */
export const runSummarySuite = (
  { gates }: RunSummary,
  { command, code, at, ms }: CommandRun,
): JUnitSuite => ({
  name: 'petstore-sandbox exec',
  at,
  cases: [
    {
      suite: 'command',
      name: command,
      ms,
      ...(code !== 0 && { failure: { message: `exit code ${code}`, details: '' } }),
    },
    ...gates.map((result) => ({
      suite: 'gate',
      name: result.gate,
      ...(result.count > 0 && {
        failure: { message: countText(result), details: offenderLines(result).join('\n') },
      }),
    })),
  ],
})

/** As Markdown: the gates first, since they decide, then what was counted. */
export function runSummaryMarkdown(
  { report, gates, backoff }: RunSummary,
  { command, code }: CommandRun,
): string {
  const failed = gates.filter(({ count }) => count > 0)
  const gateRows = gates.map((result) => [result.gate, result.count === 0 ? 'passed' : countText(result)])
  const list = (lines: readonly string[]) => lines.map((line) => `- ${markdownText(line)}\n`).join('')
  return [
    `# ${markdownText(command)}\n\nexit code ${code}\n`,
    gates.length > 0 ? `\n${markdownTable(['Gate', 'Outcome'], gateRows)}` : '',
    ...failed.map((result) => `\n## ${markdownText(result.gate)}\n\n${list(offenderLines(result))}`),
    backoff.length > 0 ? `\n## Backoff\n\n${list(backoff)}` : '',
    '\n## Report\n\n',
    markdownTable(
      ['What', 'Count'],
      reportCounts(report).map(([what, count]) => [what, String(count)]),
    ),
    `\n${markdownTable(['Operation', 'Answers'], [...coverageRows(report), ...neverRows(report)])}`,
  ].join('')
}

const neverRows = ({ uncovered }: Report) => uncovered.map((operation) => [operation, 'never called'])

const countText = ({ count, title }: GateResult): string => `${title}: ${count}`

function offenderLines({ count, offenders }: GateResult): string[] {
  const more = count - offenders.length
  return [...offenders.map(printable), ...(more > 0 ? [`… and ${more} more`] : [])]
}
