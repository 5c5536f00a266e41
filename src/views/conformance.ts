import { plural } from '../text/plural.ts'
import { type Colours, PLAIN } from './colours.ts'
import type { JUnitSuite } from './junit.ts'
import { markdownPage, markdownSection, markdownTable } from './markdown.ts'

/** The outcome of a check. `observed`: recorded only, because the interface leaves it open. */
export const OUTCOMES = ['passed', 'failed', 'skipped', 'observed'] as const
export type CheckOutcome = (typeof OUTCOMES)[number]

/** A violation of the interface, in words. */
export interface CheckFailure {
  /** The request for people: `GET /pets?limit=1 (no key)`. */
  readonly request: string
  readonly received: string
  /** The requirement of the interface. */
  readonly expected: string
}

export interface CheckResult {
  readonly id: string
  /** The section of the interface: `4.1`, or several: `2, 7`. */
  readonly section: string
  readonly title: string
  readonly outcome: CheckOutcome
  /** The reason why it was skipped. */
  readonly reason?: string
  /** The option that the check needs, if it was not given. */
  readonly needs?: string
  /** The first failures; `moreFailures` counts the others. */
  readonly failures: readonly CheckFailure[]
  readonly moreFailures: number
  /** Observations where the interface leaves something open, or where the check could not decide. */
  readonly observations: readonly string[]
  /** Real time, in milliseconds. */
  readonly ms: number
}

/** The report of a conformance check of a service. */
export interface ConformanceReport {
  readonly baseUrl: string
  /** ISO 8601, UTC, with milliseconds. */
  readonly at: string
  readonly requests: number
  readonly counts: Readonly<Record<CheckOutcome, number>>
  readonly checks: readonly CheckResult[]
  /** The reason why the run ended before all checks were made; null if it did not. */
  readonly unchecked: string | null
}

/** The limit of printed failures per check; the others are counted. */
const MAX_SHOWN = 3

/** A check as one line for people, with its details below; empty for a check that needs an option. */
export function checkLines(result: CheckResult, paint: Colours): string {
  const { section, title, outcome, reason, needs } = result
  if (needs !== undefined) return ''
  const why = reason === undefined ? '' : paint.dim(` (skipped: ${reason})`)
  const details = [...failureLines(result, paint), ...result.observations.map((text) => paint.dim(text))]
  const head = `${MARKS[outcome](paint)} ${paint.dim(`§${section}`.padEnd(10))} ${title}${why}`
  return [head, ...details.map((line) => `             ${line}`)].map((line) => `${line}\n`).join('')
}

/** The result in one line. A second line says which checks need an option. */
export function conformanceSummary({ counts, checks, requests }: ConformanceReport, paint: Colours): string {
  const { passed, failed, skipped, observed } = counts
  const failures = failed > 0 ? paint.bad(`${failed} failed`) : `${failed} failed`
  const parts = [`${passed} passed`, failures, `${skipped} skipped`, `${observed} observed`]
  const total = `${plural(checks.length, 'check')}: ${parts.join(', ')}; ${plural(requests, 'request')}\n`
  return total + needsLine(checks)
}

/** `26 checks need --allow-writes, 4 --exhaust-limits`. */
function needsLine(checks: readonly CheckResult[]): string {
  const options = new Set(checks.flatMap(({ needs = [] }) => needs))
  const parts = [...options].map((option, i) => {
    const { length } = checks.filter(({ needs }) => needs === option)
    return `${i > 0 ? length : plural(length, 'check needs', 'checks need')} ${option}`
  })
  return parts.length > 0 ? `${parts.join(', ')}\n` : ''
}

/** A report as a JUnit suite. A check that was only observed counts as passed. */
export const conformanceSuite = ({ baseUrl, at, checks }: ConformanceReport): JUnitSuite => ({
  name: `contract ${baseUrl}`,
  at,
  cases: checks.map((result) => ({
    suite: `contract §${result.section}`,
    name: `§${result.section} ${result.title}`,
    ms: result.ms,
    ...(result.outcome === 'failed' && {
      failure: { message: headline(result), details: failureLines(result, PLAIN).join('\n') },
    }),
    ...(result.reason !== undefined && { skipped: result.reason }),
    ...(result.observations.length > 0 && { output: result.observations.join('\n') }),
  })),
})

/** A report as Markdown: a summary, the failures in full, and a table of all checks. */
export function conformanceMarkdown(report: ConformanceReport): string {
  const failed = report.checks.filter(({ outcome }) => outcome === 'failed')
  const rows = report.checks.map((result) => [
    `§${result.section}`,
    result.title,
    result.outcome,
    [result.reason, ...result.observations].filter(Boolean).join('; '),
  ])
  return markdownPage(`Contract of ${report.baseUrl}`, [
    conformanceSummary(report, PLAIN),
    ...failed.map(failedMarkdown),
    markdownTable(['Section', 'Check', 'Outcome', 'Remarks'], rows),
  ])
}

function failedMarkdown({ section, title, failures, moreFailures }: CheckResult): string {
  const rows = failures.map(({ request, received, expected }) => [request, received, expected])
  const table = markdownTable(['Request', 'Received', 'Expected'], rows)
  const more = moreFailures > 0 ? `\n${moreFailures} more\n` : ''
  return markdownSection(`§${section} ${title}`, table + more)
}

function failureLines({ failures, moreFailures }: CheckResult, paint: Colours): string[] {
  const lines = failures
    .slice(0, MAX_SHOWN)
    .flatMap(({ request, received, expected }) => [
      request,
      `  received   ${paint.bad(received)}`,
      `  expected   ${expected}`,
    ])
  const more = failures.length + moreFailures - MAX_SHOWN
  return more > 0 ? [...lines, `… and ${more} more`] : lines
}

const headline = ({ failures: [first] }: CheckResult): string =>
  first ? `${first.request}: expected ${first.expected}; received ${first.received}` : ''

const MARKS: Readonly<Record<CheckOutcome, (paint: Colours) => string>> = {
  passed: (paint) => paint.good('✓'),
  failed: (paint) => paint.bad('✗'),
  skipped: (paint) => paint.dim('-'),
  observed: (paint) => paint.dim('•'),
}
