/** The outcome of a check. `observed`: recorded only, because the interface leaves it open. */
export const OUTCOMES = ['passed', 'failed', 'skipped', 'observed'] as const
export type CheckOutcome = (typeof OUTCOMES)[number]

/** A violation of the interface, in words. */
export interface CheckFailure {
  /** The request for people: `GET /pets?limit=1 (no key)`. */
  readonly request: string
  readonly received: string
  /** The requirement of the interface. */
  readonly expected: string
}

/** One check of a service against the interface. */
export interface CheckResult {
  readonly id: string
  /** The section of the interface: `4.1`, or several: `2, 7`. */
  readonly section: string
  readonly title: string
  readonly outcome: CheckOutcome
  /** Why it was skipped. */
  readonly reason?: string
  /** The option that the check needs, if it was not given. */
  readonly needs?: string
  /** The first failures; `moreFailures` counts the others. */
  readonly failures: readonly CheckFailure[]
  readonly moreFailures: number
  /** Observations where the interface leaves something open, or where the check could not decide. */
  readonly observations: readonly string[]
  /** Real time, in milliseconds. */
  readonly ms: number
}

/** The report of a conformance check of a service. */
export interface ConformanceReport {
  readonly baseUrl: string
  /** ISO 8601, UTC, with milliseconds. */
  readonly at: string
  readonly requests: number
  readonly counts: Readonly<Record<CheckOutcome, number>>
  readonly checks: readonly CheckResult[]
  /** Why every check that needs the key was skipped; null if none was. */
  readonly unchecked: string | null
}
