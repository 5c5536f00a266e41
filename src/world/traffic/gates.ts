import type { Report } from '../../contract/generated/control.types.d.ts'
import type { FindingKind } from './findings.ts'
import { countIn } from './report.ts'

/** A quality gate passes if there is no finding of its kind. A gate without a kind passes if every operation was called. */
interface Gate {
  readonly title: string
  readonly finding?: FindingKind
}

/** The gates of `exec --fail-on`, by name. */
export const GATES = {
  deprecated: { title: 'calls of deprecated operations', finding: 'deprecated-call' },
  'rate-limited': { title: 'requests beyond a limit', finding: 'rate-limited' },
  'early-retry': { title: 'retries before Retry-After had passed', finding: 'early-retry' },
  banned: { title: 'bans', finding: 'banned' },
  'invalid-request': { title: 'invalid requests', finding: 'invalid-request' },
  'ignored-input': { title: 'inputs that were ignored', finding: 'ignored-input' },
  duplicate: { title: 'possible duplicates', finding: 'duplicate' },
  uncovered: { title: 'operations that were never called' },
  'server-error': { title: '5xx, except 501, without rule, trigger key or Prefer', finding: 'server-error' },
} as const satisfies Record<string, Gate>

export type GateName = keyof typeof GATES

export const GATE_NAMES = Object.keys(GATES) as GateName[]

/** The kind of finding that a gate counts; undefined if no single request shows it. */
export const findingOf = (gate: GateName): FindingKind | undefined => (GATES[gate] as Gate).finding

/** Whether one of the gates counts this kind of finding. */
export const isGated = (gates: readonly GateName[], kind: string): boolean =>
  gates.some((gate) => findingOf(gate) === kind)

/** The number of findings, or of operations, that a gate counts in a report. */
export function gateCount(report: Report, gate: GateName): number {
  const finding = findingOf(gate)
  return finding ? countIn(report, finding) : report.uncovered.length
}
