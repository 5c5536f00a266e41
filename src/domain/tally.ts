import type { Exchange } from './exchange.ts'
import { iso, SECOND } from './instant.ts'
import { maskKey } from './masking.ts'
import type { EarlyRetry, IgnoredInput, Report } from './report.ts'

const LIST_LENGTH = 100

/** Counts exchanges as they happen, so that the report never forgets what the journal had to. */
export class Tally {
  #requests = 0
  #deprecatedCalls = 0
  #rateLimited = 0
  #bans = 0
  #invalidRequests = 0
  #possibleDuplicates = 0
  #serverErrors = 0
  readonly #coverage = new Map<string, Map<number, number>>()
  readonly #earlyRetries = new Listed<EarlyRetry>()
  readonly #ignoredInputs = new Listed<IgnoredInput>()
  /** By key: from when on a retry is welcome. */
  readonly #allowedAt = new Map<string, number>()

  record(exchange: Exchange): void {
    this.#requests++
    const { operationId, status, decision } = exchange
    if (operationId) {
      this.#cover(operationId, status)
      if (exchange.deprecated) this.#deprecatedCalls++
    }
    if (decision === 'refused:window') this.#rateLimited++
    if (exchange.startsBan) this.#bans++
    if (exchange.duplicateOf) this.#possibleDuplicates++
    const asked = decision === 'forced' || decision.startsWith('fault:')
    if (!asked && isInvalid(exchange)) this.#invalidRequests++
    if (!asked && status >= 500) this.#serverErrors++
    for (const input of exchange.ignored) {
      this.#ignoredInputs.add(() => ({
        id: exchange.id,
        at: iso(exchange.at),
        operationId: operationId ?? '',
        input: exchange.secrets.mask(input, exchange.key),
      }))
    }
    if (exchange.key) this.#judgeRetry(exchange, exchange.key)
  }

  /** Forgets when retries are welcome, of one key or of all: the clock went back, or a limit was lifted. */
  forgetRetries(key?: string): void {
    if (key === undefined) this.#allowedAt.clear()
    else this.#allowedAt.delete(key)
  }

  /** `operations`: those in force, to tell which were never called. */
  view(operations: readonly string[]): Report {
    return {
      requests: this.#requests,
      coverage: Object.fromEntries(
        [...this.#coverage].map(([operation, statuses]) => [operation, Object.fromEntries(statuses)]),
      ),
      uncovered: operations.filter((operation) => !this.#coverage.has(operation)),
      deprecatedCalls: this.#deprecatedCalls,
      rateLimited: this.#rateLimited,
      earlyRetries: this.#earlyRetries.view(),
      bans: this.#bans,
      invalidRequests: this.#invalidRequests,
      ignoredInputs: this.#ignoredInputs.view(),
      possibleDuplicates: this.#possibleDuplicates,
      serverErrors: this.#serverErrors,
    }
  }

  #cover(operationId: string, status: number): void {
    const statuses = this.#coverage.get(operationId) ?? new Map<number, number>()
    this.#coverage.set(operationId, statuses.set(status, (statuses.get(status) ?? 0) + 1))
  }

  #judgeRetry({ at, retryAfter, decision }: Exchange, key: string): void {
    if (decision === 'refused:key') return
    const allowedAt = this.#allowedAt.get(key)
    if (allowedAt !== undefined && at < allowedAt) {
      const earlyMs = allowedAt - at
      this.#earlyRetries.add(() => ({ key: maskKey(key), at: iso(at), allowedAt: iso(allowedAt), earlyMs }))
    } else if (allowedAt !== undefined) this.#allowedAt.delete(key)
    if (retryAfter !== undefined) this.#allowedAt.set(key, at + retryAfter * SECOND)
  }
}

/** The reports of several namespaces as one. */
export function sumReports(reports: readonly Report[], operations: readonly string[]): Report {
  const sum = (pick: (report: Report) => number) => reports.reduce((total, report) => total + pick(report), 0)
  const join = <T>(pick: (report: Report) => { count: number; first: readonly T[] }) => ({
    count: sum((report) => pick(report).count),
    first: reports.flatMap((report) => pick(report).first).slice(0, LIST_LENGTH),
  })
  const coverage: Record<string, Record<string, number>> = {}
  for (const report of reports) {
    for (const [operation, statuses] of Object.entries(report.coverage)) {
      const total = coverage[operation] ?? {}
      coverage[operation] = total
      for (const [status, count] of Object.entries(statuses)) total[status] = (total[status] ?? 0) + count
    }
  }
  return {
    requests: sum((report) => report.requests),
    coverage,
    uncovered: operations.filter((operation) => !coverage[operation]),
    deprecatedCalls: sum((report) => report.deprecatedCalls),
    rateLimited: sum((report) => report.rateLimited),
    earlyRetries: join((report) => report.earlyRetries),
    bans: sum((report) => report.bans),
    invalidRequests: sum((report) => report.invalidRequests),
    ignoredInputs: join((report) => report.ignoredInputs),
    possibleDuplicates: sum((report) => report.possibleDuplicates),
    serverErrors: sum((report) => report.serverErrors),
  }
}

class Listed<T> {
  #count = 0
  readonly #first: T[] = []

  add(make: () => T): void {
    this.#count++
    if (this.#first.length < LIST_LENGTH) this.#first.push(make())
  }

  view() {
    return { count: this.#count, first: [...this.#first] }
  }
}

const isInvalid = ({ status, refusal }: Exchange): boolean =>
  status === 400 || status === 405 || status === 413 || status === 415 || refusal?.code === 'route_not_found'
