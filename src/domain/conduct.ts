import type { GateResult } from './gate.ts'
import type { Report } from './report.ts'

/** What the clients of all namespaces did together, and whether it was what they are allowed to do. */
export interface Conduct {
  readonly report: Report
  readonly gates: readonly GateResult[]
  /** Of each key that was refused several times in a row: how it waited, in words. */
  readonly backoff: readonly string[]
}
