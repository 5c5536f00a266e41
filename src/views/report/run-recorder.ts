import type { Report } from '../../contract/generated/control.types.d.ts'
import { grouped } from '../../text/grouped.ts'
import { maskWords, Secrets } from '../../world/keys/secrets.ts'
import type { Exchange } from '../../world/traffic/exchange.ts'
import { type Finding, type FindingKind, findingTexts, weightOf } from '../../world/traffic/findings.ts'
import { findingOf, GATES, type GateName, gateCount, isGated } from '../../world/traffic/gates.ts'
import { entryHead, entryOf } from '../../world/traffic/journal-entry.ts'
import { Tally } from '../../world/traffic/tally.ts'
import type { World } from '../../world/world.ts'
import { keyText, requestLine } from '../request-line.ts'
import { analyseBackoff, pausesInWords } from './backoff.ts'

/** The summary of a run: the report over all namespaces, and the results of its gates. */
export interface RunSummary {
  readonly report: Report
  readonly gates: readonly GateResult[]
  /** The waits of each key between repeated refusals, in words. */
  readonly backoff: readonly string[]
  /** The tests with findings, in the order of their first requests. */
  readonly tests: readonly TestFindings[]
}

/** The result of a quality gate. */
export interface GateResult {
  readonly gate: GateName
  readonly title: string
  /** The number of findings or operations that it counts; the gate passes with zero. */
  readonly count: number
  /** The first of them, in words. */
  readonly first: readonly string[]
}

/** The findings of one test. */
export interface TestFindings {
  readonly test: string
  readonly requests: number
  readonly findings: Readonly<Partial<Record<FindingKind, number>>>
  /** The first findings that a gate counts, in words, and the first others. */
  readonly first: readonly string[]
  readonly others: readonly string[]
}

/** The limit of kept lines of a kind; counts include all. */
const MAX_LINES = 20

/** The limits of kept tests, and of lines per test. */
const MAX_TESTS = 10_000
const MAX_LINES_OF_TEST = 5

/** The exchanges of the journal, and of each branch. */
function runsOf({ journal, past }: World): (readonly Exchange[])[] {
  const undone = grouped(past.undone('*'), ({ branch }) => branch)
  return [journal.entries(), ...Array.from(undone.values(), (own) => own.map(({ exchange }) => exchange))]
}

/**
 * Records findings when they occur, because a namespace may drop them later: a suite may reset its worlds between
 * tests.
 */
export function createRunRecorder(gates: readonly GateName[]) {
  const tally = new Tally({ hasNamespaces: true })
  const firstOf = new Map<FindingKind, string[]>()
  const tests = new Map<string, TestRecord>()
  const backoff: string[] = []
  /** The exchanges whose waits are recorded. */
  const seen = new WeakSet<Exchange>()
  let secrets = new Secrets()
  function testOf(exchange: Exchange): TestRecord | undefined {
    if (exchange.test === undefined) return undefined
    const test = secrets.mask(exchange.test)
    const known = tests.get(test)
    if (known || tests.size >= MAX_TESTS) return known
    const record: TestRecord = { test, requests: 0, findings: {}, first: [], others: [] }
    tests.set(test, record)
    return record
  }
  return {
    record(exchange: Exchange): void {
      secrets = exchange.secrets
      tally.count(exchange)
      const test = testOf(exchange)
      if (test) test.requests++
      for (const finding of exchange.findings) {
        const { kind } = finding
        const known = firstOf.get(kind) ?? []
        firstOf.set(kind, known)
        if (test) test.findings[kind] = (test.findings[kind] ?? 0) + weightOf(finding)
        const own = isGated(gates, kind) ? test?.first : test?.others
        const isRoom = known.length < MAX_LINES || (own && own.length < MAX_LINES_OF_TEST)
        if (!isRoom) continue
        const lines = findingLines(exchange, finding)
        addSome(known, lines, MAX_LINES)
        if (own) addSome(own, lines, MAX_LINES_OF_TEST)
      }
    },
    /** Records the waits of the clients of `world`, or only those in a branch, before they are dropped. */
    addBackoff(world: World, branch?: readonly Exchange[]): void {
      secrets = world.keys.secrets
      for (const exchanges of branch ? [branch] : runsOf(world)) {
        // A branch outlives a reset of the requests.
        const added = exchanges.filter((each) => !seen.has(each))
        for (const each of added) seen.add(each)
        addSome(backoff, backoffOf(added), MAX_LINES)
      }
    },
    /** A command line in which the keys of all namespaces are masked. */
    shown: (words: readonly string[]): string => maskWords(words, secrets).join(' '),
    /** `operations`: those of the effective document, of which the uncalled ones are listed. */
    summary(operations: readonly string[]): RunSummary {
      // Masked again: a secret may have become known after its line was made.
      const { mask } = secrets
      const report = tally.view(operations, mask)
      const named = new Map(Array.from(firstOf, ([kind, lines]) => [kind, lines.map(mask)]))
      const found = [...tests.values()].filter(({ findings }) => Object.keys(findings).length > 0)
      return {
        report,
        gates: evaluateGates(gates, report, named),
        backoff: backoff.map(mask),
        tests: found.map((each) => ({
          ...each,
          test: mask(each.test),
          first: each.first.map(mask),
          others: each.others.map(mask),
        })),
      }
    },
  }
}

/** The result of every gate. `first`: the first findings of each kind, in words. */
export const evaluateGates = (
  gates: readonly GateName[],
  report: Report,
  first: ReadonlyMap<FindingKind, readonly string[]>,
): GateResult[] =>
  gates.map((gate) => {
    const finding = findingOf(gate)
    const named = finding
      ? (first.get(finding) ?? [])
      : report.uncovered.map((operation) => `${operation} was never called`)
    const { title } = GATES[gate]
    return { gate, title, count: gateCount(report, gate), first: named.slice(0, MAX_LINES) }
  })

/** A finding as lines for people: the request and its error. */
function findingLines(exchange: Exchange, finding: Finding): string[] {
  const { secrets, operationId } = exchange
  const head = entryHead(exchange)
  const request = requestLine(head)
  return findingTexts(finding, operationId, head.why).map((text) => `${request}: ${secrets.mask(text)}`)
}

interface TestRecord extends TestFindings {
  requests: number
  readonly findings: Partial<Record<FindingKind, number>>
  readonly first: string[]
  readonly others: string[]
}

function addSome(list: string[], more: readonly string[], most: number): void {
  list.push(...more.slice(0, Math.max(0, most - list.length)))
}

/** The waits of each key between repeated refusals. */
function backoffOf(exchanges: readonly Exchange[]): string[] {
  if (!exchanges.some(({ status }) => status === 429 || status === 503)) return []
  return [...grouped(exchanges, ({ key = '' }) => key).values()].flatMap((own) => {
    const entries = own.map(entryOf)
    const [first] = entries
    if (!first) return []
    const name = `${keyText(first)}${first.namespace === 'default' ? '' : ` ${first.namespace}`}`
    return analyseBackoff(entries).pauses.map((pauses) => `${name} ${pausesInWords(pauses)}`)
  })
}
