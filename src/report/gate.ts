import type { JournalEntry, Report } from '../contract/generated/control.types.d.ts'
import type { Exchange } from '../domain/traffic/exchange.ts'
import { type Finding, type FindingKind, type FindingView, findingTexts } from '../domain/traffic/findings.ts'
import { entryOf } from '../domain/traffic/journal-entry.ts'
import { countIn } from '../domain/traffic/report.ts'

/** A quality gate passes where nothing of its kind was found; without a kind, where every operation was called. */
interface Gate {
  readonly title: string
  readonly finding?: FindingKind
}

/** What `exec --fail-on` can ask for, by name. */
export const GATES = {
  deprecated: { title: 'calls of deprecated operations', finding: 'deprecated-call' },
  'rate-limited': { title: 'requests beyond a limit', finding: 'rate-limited' },
  'early-retry': { title: 'retries before Retry-After had passed', finding: 'early-retry' },
  banned: { title: 'bans', finding: 'banned' },
  'invalid-request': { title: 'invalid requests', finding: 'invalid-request' },
  'ignored-input': { title: 'inputs that were ignored', finding: 'ignored-input' },
  duplicate: { title: 'possible duplicates', finding: 'duplicate' },
  uncovered: { title: 'operations that were never called' },
  'server-error': { title: 'server errors that nobody asked for', finding: 'server-error' },
} as const satisfies Record<string, Gate>

export type GateName = keyof typeof GATES

export const GATE_NAMES = Object.keys(GATES) as GateName[]

/** What a gate is about; undefined where no single request shows it. */
export const findingOf = (gate: GateName): FindingKind | undefined => {
  const { finding }: Gate = GATES[gate]
  return finding
}

/** A gate as it passed or failed. */
export interface GateResult {
  readonly gate: GateName
  readonly title: string
  /** How often it was violated; it passes at zero. */
  readonly count: number
  /** The first of what violated it, in words. */
  readonly offenders: readonly string[]
}

/** So many offenders of a gate are named; the others are counted. */
export const MOST_OFFENDERS = 20

/** Every gate with what was found. `offenders`: the first findings of each kind, in words. */
export const evaluateGates = (
  gates: readonly GateName[],
  report: Report,
  offenders: ReadonlyMap<FindingKind, readonly string[]>,
): GateResult[] =>
  gates.map((gate) => {
    const { title } = GATES[gate]
    const finding = findingOf(gate)
    const named = finding
      ? (offenders.get(finding) ?? [])
      : report.uncovered.map((operation) => `${operation} was never called`)
    return {
      gate,
      title,
      count: finding ? countIn(report, finding) : report.uncovered.length,
      offenders: named.slice(0, MOST_OFFENDERS),
    }
  })

/** A finding of an exchange, in lines for people: which request it was, and what is wrong with it. */
export function findingLines(exchange: Exchange, finding: Finding | FindingView): string[] {
  const { status, refusal, key, secrets, operationId } = exchange
  const texts = findingTexts(finding, operationId)
  const words = texts.length > 0 ? texts : [refusal?.message ?? `answered with ${status}`]
  const request = requestLine(entryOf(exchange))
  return words.map((text) => `${request}: ${secrets.mask(text, key)}`)
}

/** The key that a request came with, as it may be shown, and which it is. */
export const keyText = ({ key, plan, namespace }: JournalEntry): string =>
  [key ?? 'no key', plan, namespace === 'default' ? '' : namespace].filter(Boolean).join(' ')

/** `2026-11-19T12:34:56.000Z req_000001 GET /v1/pets 200`. */
export function requestLine({ at, id, namespace, method, path, query, status }: JournalEntry): string {
  const target = query ? `${path}?${query}` : path
  return `${at} ${id} ${method} ${target} ${status}${namespace === 'default' ? '' : ` [${namespace}]`}`
}
