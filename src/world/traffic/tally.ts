import type { Report } from '../../contract/generated/control.types.d.ts'
import { copyOf } from '../../text/shorten.ts'
import { iso } from '../../time/instant.ts'
import type { Budget } from '../budget.ts'
import { maskKey } from '../keys/secrets.ts'
import type { Part } from '../part.ts'
import type { Exchange } from './exchange.ts'
import { type FindingKind, type FindingOf, weightOf } from './findings.ts'
import { countIn, countsBy } from './report.ts'

const LIST_LENGTH = 100

type Counts<Value = number> = readonly (readonly [Value, number])[]

/** The counts of a tally, as data. */
export interface TallyState {
  readonly requests: number
  readonly findings: Counts<FindingKind>
  readonly coverage: readonly (readonly [operation: string, statuses: Counts])[]
  readonly earlyRetries: readonly Listed<EarlyRetry>[]
  readonly ignoredInputs: readonly Listed<IgnoredInput>[]
  /** The bytes of counters, which are never dropped. */
  readonly size: number
}

type EarlyRetry = Report['earlyRetries']['first'][number]
type IgnoredInput = Report['ignoredInputs']['first'][number]

/** Counts exchanges and their findings when they are recorded: the report includes what the journal has dropped since. */
export class Tally implements Part<TallyState> {
  #requests = 0
  #findings = new Map<FindingKind, number>()
  #coverage = new Map<string, Map<number, number>>()
  /** The first items. */
  #earlyRetries: readonly Listed<EarlyRetry>[] = []
  #ignoredInputs: readonly Listed<IgnoredInput>[] = []
  readonly #budget: Budget | undefined
  /** The bytes of counters. They are never dropped; the budget drops other data for them. */
  #size = 0
  readonly #hasNamespaces: boolean

  /** `hasNamespaces`: it counts exchanges of several namespaces, and each item of a list has the name of its own. */
  constructor({ budget, hasNamespaces = false }: { budget?: Budget; hasNamespaces?: boolean } = {}) {
    this.#budget = budget
    this.#hasNamespaces = hasNamespaces
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
        this.#earlyRetries = this.#listed(this.#earlyRetries, exchange, sign, [finding], earlyRetry)
      if (finding.kind === 'ignored-input')
        this.#ignoredInputs = this.#listed(this.#ignoredInputs, exchange, sign, finding.inputs, ignoredInput)
    }
  }

  capture(): TallyState {
    return {
      requests: this.#requests,
      findings: [...this.#findings],
      coverage: Array.from(this.#coverage, ([operation, statuses]) => [operation, [...statuses]]),
      earlyRetries: this.#earlyRetries,
      ignoredInputs: this.#ignoredInputs,
      size: this.#size,
    }
  }

  restore(state: TallyState): void {
    this.#requests = state.requests
    this.#findings = new Map(state.findings)
    this.#coverage = new Map(state.coverage.map(([id, statuses]) => [id, new Map(statuses)] as const))
    this.#earlyRetries = state.earlyRetries
    this.#ignoredInputs = state.ignoredInputs
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
    this.restore(new Tally().capture())
  }

  /** `operations`: the current ones, to list those never called. `mask`: for secrets that became known since. */
  view(operations: readonly string[], mask: (text: string) => string): Report {
    const ignoredInputs = this.#ignoredInputs.map(({ item }) => ({ ...item, input: mask(item.input) }))
    const earlyRetries = this.#earlyRetries.map(({ item }) => item)
    const [requests, coverage] = [this.#requests, this.#coverage]
    return reportOf({ requests, coverage, earlyRetries, ignoredInputs }, (kind) => this.#of(kind), operations)
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

  /** A list with the items of an exchange, as far as there is room, or without them. */
  #listed<Item extends { readonly at: string }, Found>(
    list: readonly Listed<Item>[],
    exchange: Exchange,
    sign: 1 | -1,
    found: readonly Found[],
    itemOf: (exchange: Exchange, found: Found) => Item,
  ): readonly Listed<Item>[] {
    const { id, at, namespace } = exchange
    const named = this.#hasNamespaces && { namespace }
    const items =
      sign > 0
        ? found
            .slice(0, LIST_LENGTH - list.length)
            .map((each) => ({ id, item: { ...named, ...itemOf(exchange, each) } }))
        : // Ids can repeat after a rewind, so that the instant is compared too.
          list.filter((listed) => listed.id === id && listed.item.at === iso(at))
    if (items.length === 0) return list
    for (const { item } of items) this.#reserve(sign * (ITEM_BYTES + sumOf(Object.values(item), sizeOfValue)))
    return sign > 0 ? [...list, ...items] : list.filter((listed) => !items.includes(listed))
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

const ignoredInput = ({ id, at, operationId = '', secrets }: Exchange, input: string): IgnoredInput => ({
  id,
  at: iso(at),
  operationId,
  input: copyOf(secrets.mask(input)),
})

/** About how many bytes a status of an operation, or an item of a list, takes in addition to its texts. */
const STATUS_BYTES = 64
const ITEM_BYTES = 128

const sizeOfValue = (value: unknown): number => (typeof value === 'string' ? value.length : 8)

const sumOf = <T>(items: readonly T[], pick: (item: T) => number): number =>
  items.reduce((total, item) => total + pick(item), 0)

/** The content of a report beside the counts of findings. */
interface Counted extends Pick<Report, 'requests'> {
  readonly coverage: ReadonlyMap<string, ReadonlyMap<number | string, number>>
  readonly earlyRetries: Report['earlyRetries']['first']
  readonly ignoredInputs: Report['ignoredInputs']['first']
}

/** `count`: the number of findings of a kind. */
function reportOf(
  { requests, coverage, earlyRetries, ignoredInputs }: Counted,
  count: (kind: FindingKind) => number,
  operations: readonly string[],
): Report {
  const { holdTimeouts, interfaceViolations, ...counts } = countsBy(count)
  return {
    requests,
    coverage: Object.fromEntries(
      Array.from(coverage, ([id, statuses]) => [id, Object.fromEntries(statuses)]),
    ),
    uncovered: operations.filter((operation) => !coverage.has(operation)),
    ...counts,
    earlyRetries: { count: counts.earlyRetries, first: earlyRetries.slice(0, LIST_LENGTH) },
    ignoredInputs: { count: counts.ignoredInputs, first: ignoredInputs.slice(0, LIST_LENGTH) },
    ...(holdTimeouts > 0 && { holdTimeouts }),
    ...(interfaceViolations > 0 && { interfaceViolations }),
  }
}

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

/** The reports of several namespaces as one, with the earliest items of all. */
export function sumReports(reports: readonly Report[], operations: readonly string[]): Report {
  const coverage = new Map<string, Map<string, number>>()
  for (const report of reports) {
    for (const [operation, statuses] of Object.entries(report.coverage)) {
      const total = coverage.get(operation) ?? new Map<string, number>()
      coverage.set(operation, total)
      for (const [status, count] of Object.entries(statuses))
        total.set(status, (total.get(status) ?? 0) + count)
    }
  }
  const sum = {
    requests: sumOf(reports, ({ requests }) => requests),
    coverage,
    earlyRetries: reports.flatMap(({ earlyRetries }) => earlyRetries.first).sort(byInstant),
    ignoredInputs: reports.flatMap(({ ignoredInputs }) => ignoredInputs.first).sort(byInstant),
  }
  return reportOf(sum, (kind) => sumOf(reports, (report) => countIn(report, kind)), operations)
}

/** Compares texts, because parsing those of a thousand namespaces takes half a second. */
const byInstant = (a: EarlyRetry | IgnoredInput, b: EarlyRetry | IgnoredInput): number =>
  a.at < b.at ? -1 : Number(a.at > b.at)

interface Listed<T> {
  /** The id of the exchange. */
  readonly id: string
  readonly item: T
}
