import { plural } from '../text/plural.ts'
import { printable } from '../text/printable.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import type { Colours } from './colours.ts'
import type { JUnitSuite } from './junit.ts'
import { markdownTable, markdownText } from './markdown.ts'
import { exchangeLine, type ViolationCount } from './report/violations.ts'

/** The traffic of a proxy and its violations. */
export interface ProxySummary {
  readonly service: string
  readonly requests: number
  readonly violationCount: number
  readonly violations: readonly ViolationCount[]
  /** When the proxy was started: ISO 8601. */
  readonly at: string
}

/** The violations of one exchange, one per line. */
export const violationLines = (exchange: Exchange, paint: Colours): string =>
  (exchange.violations ?? [])
    .map((text) => {
      const line = printable(`${exchangeLine(exchange)}: ${exchange.secrets.mask(text)}`)
      return `${paint.bad('violation')}  ${line}\n`
    })
    .join('')

/** The summary, with one line for each distinct violation. */
export function proxySummaryText(
  { service, requests, violationCount, violations }: ProxySummary,
  paint: Colours,
): string {
  const head = `${plural(requests, 'request')} to ${service}, ${countText(violationCount)}\n`
  const lines = violations.map(
    ({ count, operation, message, first }) =>
      `${String(count).padStart(6)} × ${operation}: ${printable(message)} ${paint.dim(`(first: ${printable(first)})`)}\n`,
  )
  return `${head}${lines.join('')}`
}

/** A JUnit suite in which each distinct violation is a failed test. */
export const proxySummarySuite = ({ service, at, violations }: ProxySummary): JUnitSuite => ({
  name: `petstore-sandbox proxy ${service}`,
  at,
  cases:
    violations.length === 0
      ? [{ suite: 'proxy', name: 'client and service conform to the interface' }]
      : violations.map(({ operation, message, count, first }) => ({
          suite: `proxy ${operation}`,
          name: message,
          failure: { message: plural(count, 'time'), details: `first: ${first}` },
        })),
})

export function proxySummaryMarkdown({
  service,
  requests,
  violationCount,
  violations,
}: ProxySummary): string {
  const head = `# Proxy of ${markdownText(service)}\n\n${plural(requests, 'request')}, ${countText(violationCount)}\n`
  if (violations.length === 0) return head
  const rows = violations.map(({ count, operation, message, first }) => [
    String(count),
    operation,
    message,
    first,
  ])
  return `${head}\n${markdownTable(['Count', 'Operation', 'Violation', 'First'], rows)}`
}

const countText = (count: number): string => `${plural(count, 'violation')} of the interface`
