import type { JournalEntry, Report } from '../../contract/generated/control.types.d.ts'
import { statusWord } from '../../text/status-word.ts'
import type { Exchange } from '../../world/traffic/exchange.ts'
import { type Finding, type FindingKind, findingTexts } from '../../world/traffic/findings.ts'
import { findingOf, GATE_NAMES, GATES, type GateName, violationsOf } from '../../world/traffic/gates.ts'
import { type EntryHead, headOf } from '../../world/traffic/journal-entry.ts'

export { findingOf, GATE_NAMES, GATES, type GateName }

/** The result of a quality gate. */
export interface GateResult {
  readonly gate: GateName
  readonly title: string
  /** The number of violations; the gate passes with zero. */
  readonly count: number
  /** The first violations, in words. */
  readonly offenders: readonly string[]
}

/** The limit of listed violations per gate; the others are counted. */
export const MAX_OFFENDERS = 20

/** The result of every gate. `offenders`: the first findings of each kind, in words. */
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
      count: violationsOf(report, gate),
      offenders: named.slice(0, MAX_OFFENDERS),
    }
  })

/** A finding as lines for people: the request and its error. */
export function findingLines(exchange: Exchange, finding: Finding): string[] {
  const { secrets, operationId } = exchange
  const head = headOf(exchange)
  const request = requestLine(head)
  return findingTexts(finding, operationId, head.why).map((text) => `${request}: ${secrets.mask(text)}`)
}

/** A name for the key of a request: masked, and different for different keys. */
export const keyText = ({ key, plan, namespace }: JournalEntry): string =>
  [key ?? 'no key', plan, namespace === 'default' ? '' : namespace].filter(Boolean).join(' ')

/** `2026-11-19T12:34:56.000Z req_000001 GET /v1/pets 200`. */
export function requestLine({ at, id, namespace, method, path, query, status }: EntryHead): string {
  const target = query ? `${path}?${query}` : path
  return `${at} ${id} ${method} ${target} ${statusWord(status)}${namespace === 'default' ? '' : ` [${namespace}]`}`
}
