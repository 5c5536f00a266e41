import type { Report } from '../../contract/generated/control.types.d.ts'
import { iso, SECOND } from '../world/instant.ts'
import type { Budget } from './budget.ts'
import type { Exchange } from './exchange.ts'
import { maskKey } from './masking.ts'
import { isServerError } from './server-error.ts'

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
  readonly #earlyRetries = new BoundedList<Report['earlyRetries']['first'][number]>()
  readonly #ignoredInputs = new BoundedList<Report['ignoredInputs']['first'][number]>()
  /** By key: when it was told to wait, and from when on a retry is welcome. */
  readonly #waits = new Map<string, { readonly from: number; readonly until: number }>()
  readonly #budget: Budget | undefined
  /** Bytes of what is never forgotten; the journals give way to it. */
  #held = 0

  constructor(budget?: Budget) {
    this.#budget = budget
  }

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
    if (!asked && isServerError(status)) this.#serverErrors++
    for (const input of exchange.ignored) {
      const { id, at } = exchange
      this.#list(this.#ignoredInputs, () => ({
        id,
        at: iso(at),
        operationId: operationId ?? '',
        input: exchange.secrets.mask(input, exchange.key),
      }))
    }
    this.#ignoredInputs.count += exchange.ignoredMore ?? 0
    if (exchange.key) this.#judgeRetry(exchange, exchange.key)
  }

  /** Forgets when retries are welcome, of one key or of all: the clock went back, or a limit was lifted. */
  forgetRetries(key?: string): void {
    if (key === undefined) this.#waits.clear()
    else this.#waits.delete(key)
  }

  /** Gives its room back; it counts no more. */
  release(): void {
    this.#budget?.hold(-this.#held)
    this.#held = 0
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
    if (!statuses.has(status)) this.#hold(STATUS_BYTES)
    this.#coverage.set(operationId, statuses.set(status, (statuses.get(status) ?? 0) + 1))
  }

  #judgeRetry({ at, retryAfter, decision }: Exchange, key: string): void {
    if (decision === 'refused:key') return
    const wait = this.#waits.get(key)
    // An instant before it was told: the clock went back.
    if (wait && at >= wait.from && at < wait.until) {
      const { until } = wait
      const early = () => ({ key: maskKey(key), at: iso(at), allowedAt: iso(until), earlyMs: until - at })
      this.#list(this.#earlyRetries, early)
    } else if (wait) this.#waits.delete(key)
    if (retryAfter !== undefined) this.#waits.set(key, { from: at, until: at + retryAfter * SECOND })
  }

  #list<T extends object>(listed: BoundedList<T>, make: () => T): void {
    const item = listed.add(make)
    if (item) this.#hold(ITEM_BYTES + sumOf(Object.values(item), sizeOfValue))
  }

  #hold(bytes: number): void {
    this.#held += bytes
    this.#budget?.hold(bytes)
  }
}

/** About what a status of an operation, and an item of a list, take beside their texts. */
const STATUS_BYTES = 64
const ITEM_BYTES = 128

const sizeOfValue = (value: unknown): number => (typeof value === 'string' ? value.length : 8)

const sumOf = <T>(items: readonly T[], pick: (item: T) => number): number =>
  items.reduce((total, item) => total + pick(item), 0)

/** The reports of several namespaces as one. */
export function sumReports(reports: readonly Report[], operations: readonly string[]): Report {
  const sum = (pick: (report: Report) => number) => sumOf(reports, pick)
  const join = <T>(pick: (report: Report) => { count: number; first: readonly T[] }) => ({
    count: sum((report) => pick(report).count),
    first: firstOf(reports, pick),
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

function firstOf<T>(
  reports: readonly Report[],
  pick: (report: Report) => { first: readonly T[] },
): readonly T[] {
  const found: T[] = []
  for (const report of reports) {
    if (found.length >= LIST_LENGTH) break
    found.push(...pick(report).first.slice(0, LIST_LENGTH - found.length))
  }
  return found
}

class BoundedList<T> {
  count = 0
  readonly #first: T[] = []

  /** The item where it is kept, not only counted. */
  add(make: () => T): T | undefined {
    this.count++
    if (this.#first.length >= LIST_LENGTH) return undefined
    const item = make()
    this.#first.push(item)
    return item
  }

  view() {
    return { count: this.count, first: [...this.#first] }
  }
}

const isInvalid = ({ status, refusal }: Exchange): boolean =>
  status === 400 || status === 405 || status === 413 || status === 415 || refusal?.code === 'route_not_found'
