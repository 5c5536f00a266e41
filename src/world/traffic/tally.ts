import type { Report } from '../../contract/generated/control.types.d.ts'
import { copyOf } from '../../text/shorten.ts'
import { iso } from '../../time/instant.ts'
import type { Budget } from '../budget.ts'
import { maskKey } from '../keys/secrets.ts'
import type { Part } from '../part.ts'
import type { Exchange } from './exchange.ts'
import { type FindingKind, type FindingOf, weightOf } from './findings.ts'

const LIST_LENGTH = 100

/** The counts of a tally, as data. */
export interface TallyState {
  readonly requests: number
  readonly findings: readonly (readonly [FindingKind, number])[]
  readonly coverage: readonly (readonly [
    operation: string,
    statuses: readonly (readonly [number, number])[],
  ])[]
  readonly earlyRetries: readonly Listed<EarlyRetry>[]
  readonly ignoredInputs: readonly Listed<IgnoredInput>[]
  /** The bytes of counters, which are never dropped. */
  readonly size: number
}

const NOTHING: TallyState = {
  requests: 0,
  findings: [],
  coverage: [],
  earlyRetries: [],
  ignoredInputs: [],
  size: 0,
}

type EarlyRetry = Report['earlyRetries']['first'][number]
type IgnoredInput = Report['ignoredInputs']['first'][number]

/** Counts exchanges and their findings when they are recorded: the report includes what the journal has dropped since. */
export class Tally implements Part<TallyState> {
  #requests = 0
  #findings = new Map<FindingKind, number>()
  #coverage = new Map<string, Map<number, number>>()
  readonly #earlyRetries = new BoundedList<EarlyRetry>()
  readonly #ignoredInputs = new BoundedList<IgnoredInput>()
  readonly #budget: Budget | undefined
  /** The bytes of counters. They are never dropped; the budget drops other data for them. */
  #size = 0

  constructor(budget?: Budget) {
    this.#budget = budget
  }

  /** `sign`: -1 subtracts an exchange that was counted. */
  count(exchange: Exchange, sign: 1 | -1 = 1): void {
    const { operationId, status, findings } = exchange
    this.#requests += sign
    if (operationId) this.#cover(operationId, status, sign)
    for (const finding of findings) {
      const { kind } = finding
      this.#findings.set(kind, this.#of(kind) + sign * weightOf(finding))
      if (finding.kind === 'early-retry')
        this.#list(this.#earlyRetries, exchange, sign, [() => earlyRetry(exchange, finding)])
      if (finding.kind === 'ignored-input')
        this.#list(this.#ignoredInputs, exchange, sign, ignoredInputs(exchange, finding))
    }
  }

  capture(): TallyState {
    return {
      requests: this.#requests,
      findings: [...this.#findings],
      coverage: Array.from(this.#coverage, ([operation, statuses]) => [operation, [...statuses]]),
      earlyRetries: this.#earlyRetries.items,
      ignoredInputs: this.#ignoredInputs.items,
      size: this.#size,
    }
  }

  restore(state: TallyState): void {
    this.#requests = state.requests
    this.#findings = new Map(state.findings)
    this.#coverage = new Map(
      state.coverage.map(([operation, statuses]) => [operation, new Map(statuses)] as const),
    )
    this.#earlyRetries.items = state.earlyRetries
    this.#ignoredInputs.items = state.ignoredInputs
    this.#reserve(state.size - this.#size)
  }

  /** The number of findings of all kinds. */
  get found(): number {
    let sum = 0
    for (const count of this.#findings.values()) sum += count
    return sum
  }

  /** Sets all counts to zero. */
  reset(): void {
    this.restore(NOTHING)
  }

  /**
   * `operations`: the ids of the current operations; the report lists those that were never called. `mask`: masks secrets
   * that became known after they were counted.
   */
  view(operations: readonly string[], mask: (text: string) => string): Report {
    return {
      requests: this.#requests,
      coverage: Object.fromEntries(
        [...this.#coverage].map(([operation, statuses]) => [operation, Object.fromEntries(statuses)]),
      ),
      uncovered: operations.filter((operation) => !this.#coverage.has(operation)),
      deprecatedCalls: this.#of('deprecated-call'),
      rateLimited: this.#of('rate-limited'),
      earlyRetries: { count: this.#of('early-retry'), first: this.#earlyRetries.view() },
      bans: this.#of('banned'),
      invalidRequests: this.#of('invalid-request'),
      ignoredInputs: {
        count: this.#of('ignored-input'),
        first: this.#ignoredInputs.view().map((item) => ({ ...item, input: mask(item.input) })),
      },
      possibleDuplicates: this.#of('duplicate'),
      serverErrors: this.#of('server-error'),
      ...(this.#of('hold-timeout') > 0 && { holdTimeouts: this.#of('hold-timeout') }),
    }
  }

  #of(kind: FindingKind): number {
    return this.#findings.get(kind) ?? 0
  }

  #cover(operationId: string, status: number, sign: 1 | -1): void {
    const statuses = this.#coverage.get(operationId) ?? new Map<number, number>()
    const before = statuses.get(status) ?? 0
    const count = before + sign
    if (before === 0 || count === 0) this.#reserve(sign * STATUS_BYTES)
    if (count === 0) statuses.delete(status)
    else statuses.set(status, count)
    if (statuses.size === 0) this.#coverage.delete(operationId)
    else this.#coverage.set(operationId, statuses)
  }

  #list<T extends { readonly at: string }>(
    list: BoundedList<T>,
    { id, at }: Exchange,
    sign: 1 | -1,
    makes: readonly (() => T)[],
  ): void {
    const changed =
      sign < 0 ? list.remove(id, iso(at), makes.length) : makes.flatMap((make) => list.add(id, make))
    for (const item of changed) this.#reserve(sign * (ITEM_BYTES + sumOf(Object.values(item), sizeOfValue)))
  }

  #reserve(bytes: number): void {
    this.#size += bytes
    this.#budget?.reserve(bytes)
  }
}

const earlyRetry = ({ key = '', at }: Exchange, finding: FindingOf<'early-retry'>): EarlyRetry => ({
  key: maskKey(key),
  at: iso(at),
  allowedAt: iso(finding.allowedAt),
  earlyMs: finding.earlyMs,
})

const ignoredInputs = (exchange: Exchange, { inputs }: FindingOf<'ignored-input'>) =>
  inputs.map((input) => (): IgnoredInput => {
    const { id, at, operationId = '', secrets } = exchange
    return { id, at: iso(at), operationId, input: copyOf(secrets.mask(input)) }
  })

/** About how many bytes a status of an operation, or an item of a list, takes in addition to its texts. */
const STATUS_BYTES = 64
const ITEM_BYTES = 128

const sizeOfValue = (value: unknown): number => (typeof value === 'string' ? value.length : 8)

const sumOf = <T>(items: readonly T[], pick: (item: T) => number): number =>
  items.reduce((total, item) => total + pick(item), 0)

/** A report whose list items name its namespace, for `sumReports`. */
export const inNamespace = (namespace: string, report: Report): Report => ({
  ...report,
  earlyRetries: named(namespace, report.earlyRetries),
  ignoredInputs: named(namespace, report.ignoredInputs),
})

const named = <T extends object>(
  namespace: string,
  { count, first }: { readonly count: number; readonly first: readonly T[] },
) => ({ count, first: first.map((item) => ({ namespace, ...item })) })

/** The reports of several namespaces as one. */
export function sumReports(reports: readonly Report[], operations: readonly string[]): Report {
  const sum = (pick: (report: Report) => number) => sumOf(reports, pick)
  const join = <T>(pick: (report: Report) => { count: number; first: readonly T[] }) => ({
    count: sum((report) => pick(report).count),
    first: firstOf(reports, pick),
  })
  const holdTimeouts = sum((report) => report.holdTimeouts ?? 0)
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
    ...(holdTimeouts > 0 && { holdTimeouts }),
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

interface Listed<T> {
  /** The id of the exchange. */
  readonly id: string
  readonly item: T
}

/** A list that keeps the first items only. */
class BoundedList<T extends { readonly at: string }> {
  /** A new array after every change. */
  items: readonly Listed<T>[] = []

  /** Adds an item if there is room, and returns what was added. */
  add(id: string, make: () => T): T[] {
    if (this.items.length >= LIST_LENGTH) return []
    const item = make()
    this.items = [...this.items, { id, item }]
    return [item]
  }

  /** Removes up to `count` items of an exchange. Ids can repeat after a rewind, so that the instant is compared too. */
  remove(id: string, at: string, count: number): T[] {
    const last = this.items.findLastIndex((kept) => kept.id === id && kept.item.at === at)
    let first = last + 1
    while (first > last + 1 - count && this.items[first - 1]?.id === id) first--
    const removed = this.items.slice(first, last + 1)
    this.items = this.items.toSpliced(first, removed.length)
    return removed.map(({ item }) => item)
  }

  view(): T[] {
    return this.items.map(({ item }) => item)
  }
}
