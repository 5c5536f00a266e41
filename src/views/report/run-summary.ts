import type { Report } from '../../contract/generated/control.types.d.ts'
import { maskWords, Secrets } from '../../world/keys/secrets.ts'
import type { Exchange } from '../../world/traffic/exchange.ts'
import { type FindingKind, weightOf } from '../../world/traffic/findings.ts'
import { entryOf } from '../../world/traffic/journal-entry.ts'
import { Tally } from '../../world/traffic/tally.ts'
import type { World } from '../../world/world.ts'
import { analyseBackoff, pausesInWords } from './backoff.ts'
import {
  evaluateGates,
  findingLines,
  type GateName,
  type GateResult,
  keyText,
  MAX_OFFENDERS,
} from './gate.ts'

/** The summary of a run: the report over all namespaces, and the results of its gates. */
export interface RunSummary {
  readonly report: Report
  readonly gates: readonly GateResult[]
  /** How long each key waited between repeated refusals, in words. */
  readonly backoff: readonly string[]
  /** The tests with findings, in the order of their first requests. */
  readonly tests: readonly TestFindings[]
}

/** The findings of one test. */
export interface TestFindings {
  readonly test: string
  readonly requests: number
  readonly findings: Readonly<Partial<Record<FindingKind, number>>>
  /** The first findings, in words. */
  readonly first: readonly string[]
}

/** The limit of kept lines of a kind; counts include all. */
const MAX_LINES = MAX_OFFENDERS

/** The limits of kept tests, and of lines per test. */
const MAX_TESTS = 10_000
const MAX_LINES_OF_TEST = 5

/**
 * Records findings when they occur, because a namespace may drop them later: a suite may reset its worlds between
 * tests.
 */
export class RunRecorder {
  readonly #gates: readonly GateName[]
  readonly #tally = new Tally()
  readonly #offenders = new Map<FindingKind, string[]>()
  readonly #tests = new Map<string, TestRecord>()
  readonly #backoff: string[] = []
  #secrets = new Secrets()

  constructor(gates: readonly GateName[]) {
    this.#gates = gates
  }

  record(exchange: Exchange): void {
    this.#secrets = exchange.secrets
    this.#tally.count(exchange)
    const test = this.#testOf(exchange)
    if (test) test.requests++
    for (const finding of exchange.findings) {
      const { kind } = finding
      const offenders = this.#offenders.get(kind) ?? []
      this.#offenders.set(kind, offenders)
      if (test) test.findings.set(kind, (test.findings.get(kind) ?? 0) + weightOf(finding))
      const isRoom = offenders.length < MAX_LINES || (test && test.first.length < MAX_LINES_OF_TEST)
      if (!isRoom) continue
      const lines = findingLines(exchange, finding)
      addSome(offenders, lines, MAX_LINES)
      if (test) addSome(test.first, lines, MAX_LINES_OF_TEST)
    }
  }

  /** Records the waits of the clients of `world`. Called before its journal is cleared. */
  addBackoff(world: World): void {
    this.#secrets = world.keys.secrets
    addSome(this.#backoff, backoffOf(world.journal.entries()), MAX_LINES)
  }

  /** A command line in which the keys of all namespaces are masked. */
  shown(words: readonly string[]): string {
    return maskWords(words, this.#secrets).join(' ')
  }

  /** `operations`: those of the effective document, of which the uncalled ones are listed. */
  summary(operations: readonly string[]): RunSummary {
    // Masked again: a secret may have become known after its line was made.
    const { mask } = this.#secrets
    const report = this.#tally.view(operations, mask)
    const offenders = new Map(Array.from(this.#offenders, ([kind, lines]) => [kind, lines.map(mask)]))
    const tests = [...this.#tests].filter(([, { findings }]) => findings.size > 0)
    return {
      report,
      gates: evaluateGates(this.#gates, report, offenders),
      backoff: this.#backoff.map(mask),
      tests: tests.map(([test, { requests, findings, first }]) => ({
        test: mask(test),
        requests,
        findings: Object.fromEntries(findings),
        first: first.map(mask),
      })),
    }
  }

  #testOf({ test, secrets }: Exchange): TestRecord | undefined {
    if (test === undefined) return undefined
    const name = secrets.mask(test)
    const known = this.#tests.get(name)
    if (known || this.#tests.size >= MAX_TESTS) return known
    const record: TestRecord = { requests: 0, findings: new Map(), first: [] }
    this.#tests.set(name, record)
    return record
  }
}

interface TestRecord {
  requests: number
  readonly findings: Map<FindingKind, number>
  readonly first: string[]
}

function addSome(list: string[], more: readonly string[], most: number): void {
  list.push(...more.slice(0, Math.max(0, most - list.length)))
}

/** How long each key waited between repeated refusals. */
function backoffOf(exchanges: readonly Exchange[]): string[] {
  if (!exchanges.some(({ status }) => status === 429 || status === 503)) return []
  const byKey = new Map<string, Exchange[]>()
  for (const exchange of exchanges) {
    const { key = '' } = exchange
    const known = byKey.get(key)
    if (known) known.push(exchange)
    else byKey.set(key, [exchange])
  }
  return [...byKey.values()].flatMap((own) => {
    const entries = own.map(entryOf)
    const [first] = entries
    return first
      ? analyseBackoff(entries).pauses.map((pauses) => `${keyText(first)} ${pausesInWords(pauses)}`)
      : []
  })
}
