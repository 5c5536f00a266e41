import { inThousands } from '../text/in-thousands.ts'
import { plural } from '../text/plural.ts'
import { printable } from '../text/printable.ts'
import { isDelay } from '../world/faults/fault.ts'
import { whatOf } from '../world/point.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import type { Colours } from './colours.ts'
import type { JUnitSuite } from './junit.ts'
import { markdownPage, markdownTable } from './markdown.ts'

/** A distinct violation of the contract: its count, and its first exchange. */
export interface ViolationCount {
  readonly operation: string
  readonly message: string
  readonly count: number
  /** The first exchange with it: `req_000001 GET /v1/pets 200`. */
  readonly first: string
}

/** The limit of distinct violations; further ones are only counted. */
const MAX = 1000

const violationsIn = ({ findings }: Exchange): readonly string[] =>
  findings.flatMap((finding) => (finding.kind === 'violation' ? finding.texts : []))

/** Counts the violations of the contract in exchanges, and the requests without an answer. */
export class Violations {
  readonly #known = new Map<string, ViolationCount>()
  total = 0
  /** The number of requests that the service did not answer. */
  unanswered = 0

  record(exchange: Exchange): void {
    const { isRelayed, acted, reason } = exchange
    // A fault rule can inject the same errors.
    const code = (acted && !isDelay(acted.effect) ? acted.lost?.reason : reason)?.code
    if (!isRelayed && (code === 'bad_gateway' || code === 'gateway_timeout')) this.unanswered++
    for (const violation of violationsIn(exchange)) {
      this.total++
      const operation = exchange.operationId ?? exchange.method
      const message = exchange.secrets.mask(violation)
      const id = `${operation} ${message}`
      const known = this.#known.get(id) ?? { operation, message, count: 0, first: exchangeName(exchange) }
      if (known.count > 0 || this.#known.size < MAX) this.#known.set(id, { ...known, count: known.count + 1 })
    }
  }

  /** In the order of their first appearance. */
  list(): readonly ViolationCount[] {
    return [...this.#known.values()]
  }
}

/** `req_000001 GET /v1/pets?limit=1 200`; keys masked. */
export const exchangeName = (exchange: Exchange): string => `${exchange.id} ${whatOf(exchange)}`

/** The traffic of a proxy and its violations. */
export interface ProxySummary {
  readonly service: string
  readonly requests: number
  /** The number of requests that the service did not answer. */
  readonly unanswered: number
  readonly violationCount: number
  readonly violations: readonly ViolationCount[]
  /** When the proxy was started: ISO 8601. */
  readonly at: string
}

/** The violations of one exchange, one per line. */
export const violationLines = (exchange: Exchange, paint: Colours): string =>
  violationsIn(exchange)
    .map((text) => printable(`${exchangeName(exchange)}: ${exchange.secrets.mask(text)}`))
    .map((line) => `${paint.bad('violation')}  ${line}\n`)
    .join('')

/** The summary, with one line for each distinct violation. */
export function proxySummaryText(summary: ProxySummary, paint: Colours): string {
  const { service, requests, violations } = summary
  const lines = violations.map(({ count, operation, message, first }) => {
    const beside = paint.dim(`(first: ${printable(first)})`)
    return `${inThousands(count).padStart(6)} × ${operation}: ${printable(message)} ${beside}\n`
  })
  return `${plural(requests, 'request')} to ${service}, ${countText(summary)}\n${lines.join('')}`
}

/** A JUnit suite in which each distinct violation is a failed test. */
export function proxySummarySuite(summary: ProxySummary): JUnitSuite {
  const { service, at, requests, unanswered, violations } = summary
  const failed = violations.map(({ operation, message, count, first }) => ({
    suite: `proxy ${operation}`,
    name: message,
    failure: { message: plural(count, 'time'), details: `first: ${first}` },
  }))
  const failure = { message: unansweredText(unanswered), details: 'The journal says why.' }
  if (unanswered > 0) failed.push({ suite: 'proxy', name: 'the service answers', failure })
  const passed = { suite: 'proxy', name: 'client and service conform to the interface' }
  const only = requests > 0 ? passed : { ...passed, skipped: 'no request was made' }
  return { name: `petstore-sandbox proxy ${service}`, at, cases: failed.length > 0 ? failed : [only] }
}

export function proxySummaryMarkdown(summary: ProxySummary): string {
  const { service, requests, violations } = summary
  const rows = violations.map((each) => [each.count, each.operation, each.message, each.first])
  return markdownPage(`Proxy of ${service}`, [
    `${plural(requests, 'request')}, ${countText(summary)}\n`,
    violations.length > 0 && markdownTable(['Count', 'Operation', 'Violation', 'First'], rows),
  ])
}

const countText = ({ violationCount, unanswered }: ProxySummary): string =>
  `${plural(violationCount, 'violation')} of the interface${unanswered > 0 ? `, ${unansweredText(unanswered)}` : ''}`

const unansweredText = (count: number): string =>
  `${plural(count, 'request')} without a response of the service`
