import type { Report } from '../contract/generated/control.types.d.ts'
import { inThousands } from '../text/in-thousands.ts'
import { printable } from '../text/printable.ts'
import { escapeCommands } from '../text/workflow-commands.ts'
import { type FindingKind, findingCount } from '../world/traffic/findings.ts'
import { isGated } from '../world/traffic/gates.ts'
import type { Colours } from './colours.ts'
import type { JUnitCase, JUnitSuite } from './junit.ts'
import { markdownList, markdownPage, markdownSection, markdownTable } from './markdown.ts'
import type { GateResult, RunSummary, TestFindings } from './report/run-recorder.ts'
import { coverageRows, reportCounts } from './report-text.ts'

/** A finished command and its exit code. */
export interface CommandRun {
  readonly command: string
  readonly code: number
  /** ISO 8601. */
  readonly at: string
  /** Real time, in milliseconds. */
  readonly ms: number
}

/** A report in a few lines, for the output of a test run. */
export function shortReport(report: Report): string {
  const counts = reportCounts(report).filter(([what, count]) => what === 'requests' || count > 0)
  const covered = coverageRows(report).map(([operation, answers]) => `${operation} ${answers}`)
  const never = report.uncovered.length > 0 ? [`never called ${report.uncovered.join(', ')}`] : []
  const counted = counts.map(([what, count]) => `${what} ${inThousands(count)}`).join(', ')
  return `report: ${counted}\nanswers: ${[...covered, ...never].join('; ')}\n`
}

/** The waits of keys between repeated refusals; empty if there were none. */
export const backoffText = (backoff: readonly string[]): string =>
  backoff.length === 0 ? '' : `Backoff:\n${backoff.map((line) => `  ${printable(line)}\n`).join('')}`

/** Each gate in a line, with the first of what it counts below. */
export const gatesText = (gates: readonly GateResult[], paint: Colours): string =>
  gates
    .map((result) => {
      const { gate, count } = result
      if (count === 0) return `${paint.good('passed')}  ${gate}\n`
      const details = countedLines(result).map((line) => `          ${line}\n`)
      return `${paint.bad('failed')}  ${gate}  ${countText(result)}\n${details.join('')}`
    })
    .join('')

/** `2 early retries, 1 ban`. */
export const findingsInWords = ({ findings }: Pick<TestFindings, 'findings'>): string =>
  Object.entries(findings)
    .map(([kind, count]) => findingCount(kind as FindingKind, count))
    .join(', ')

/** The tests with findings, one per line; empty if there are none. */
export const testsText = (tests: readonly TestFindings[]): string =>
  tests.length === 0
    ? ''
    : `Tests:\n${tests.map((test) => `  ${printable(test.test)}: ${findingsInWords(test)}\n`).join('')}`

/** A JUnit suite with the command, each gate, and each test with findings. */
export function runSummarySuite({ gates, tests }: RunSummary, run: CommandRun): JUnitSuite {
  const { command, code, at, ms } = run
  const failure = code === 0 ? undefined : { message: `exit code ${code}`, details: '' }
  const own = { suite: 'command', name: command, ms, failure }
  const cases = [own, ...gates.map(gateCase), ...tests.map((test) => testCase(test, gates))]
  return { name: 'petstore-sandbox exec', at, cases }
}

function gateCase(result: GateResult): JUnitCase {
  const failure = { message: countText(result), details: countedLines(result).join('\n') }
  return { suite: 'gate', name: result.gate, ...(result.count > 0 && { failure }) }
}

/** A test fails by the findings that a gate counts; its other findings are output. */
function testCase(
  { test, findings, first, others }: TestFindings,
  results: readonly GateResult[],
): JUnitCase {
  const gates = results.map(({ gate }) => gate)
  const countsOf = (are: boolean) =>
    findingsInWords({
      findings: Object.fromEntries(Object.entries(findings).filter(([kind]) => isGated(gates, kind) === are)),
    })
  const [gated, rest] = [countsOf(true), countsOf(false)]
  return {
    suite: 'test',
    name: test,
    ...(gated && { failure: { message: gated, details: first.map(printable).join('\n') } }),
    ...(rest && { output: [rest, ...others.map(printable)].join('\n') }),
  }
}

/** As Markdown: the gates first, since they decide, then the counts. */
export function runSummaryMarkdown(
  { report, gates, backoff, tests }: RunSummary,
  { command, code }: CommandRun,
): string {
  const failed = gates.filter(({ count }) => count > 0)
  const gateRows = gates.map((result) => [result.gate, result.count === 0 ? 'passed' : countText(result)])
  const testRows = tests.map((test) => [test.test, findingsInWords(test)])
  const never = report.uncovered.map((operation) => [operation, 'never called'])
  return markdownPage(command, [
    `exit code ${code}\n`,
    gates.length > 0 && markdownTable(['Gate', 'Outcome'], gateRows),
    ...failed.map((result) => markdownSection(result.gate, markdownList(countedLines(result)))),
    backoff.length > 0 && markdownSection('Backoff', markdownList(backoff)),
    tests.length > 0 && markdownSection('Tests', markdownTable(['Test', 'Findings'], testRows)),
    markdownSection('Report', markdownTable(['What', 'Count'], reportCounts(report))),
    markdownTable(['Operation', 'Answers'], [...coverageRows(report), ...never]),
  ])
}

/** Workflow commands for GitHub Actions: an error for each failed gate, a warning for each test with findings. */
export const annotations = (tests: readonly TestFindings[], gates: readonly GateResult[]): string =>
  [
    ...gates
      .filter(({ count }) => count > 0)
      .map((gate) => annotation('error', `gate ${gate.gate}`, [countText(gate), ...countedLines(gate)])),
    ...tests.map((test) => annotation('warning', test.test, [findingsInWords(test)])),
  ].join('')

const annotation = (kind: 'error' | 'warning', title: string, lines: readonly string[]): string =>
  `::${kind} title=${encoded(title, /[%\r\n:,]/g)}::${lines.map((line) => encoded(line, /[%\r\n]/g)).join('%0A')}\n`

/** The escapes of `escapeData` and `escapeProperty` in @actions/core. */
const encoded = (text: string, characters: RegExp): string =>
  escapeCommands(printable(text.replace(characters, (character) => encodeURIComponent(character))))

const countText = ({ count, title }: GateResult): string => `${title}: ${inThousands(count)}`

function countedLines({ count, first }: GateResult): string[] {
  const more = count - first.length
  return [...first.map(printable), ...(more > 0 ? [`… and ${inThousands(more)} more`] : [])]
}
