/** What became of a check: it passed, it failed, it was left out, or it could only tell what it saw. */
export const OUTCOMES = ['passed', 'failed', 'skipped', 'observed'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** One thing in which a service does not hold to the interface, in words. */
export interface CheckFailure {
  /** The request as a person would name it: `GET /pets?limit=1 (no key)`. */
  readonly request: string
  readonly came: string
  /** What the interface says. */
  readonly expected: string
}

/** One check of a service against the interface. */
export interface CheckResult {
  readonly id: string
  /** Of the interface: `4.1`, or several: `2, 7`. */
  readonly section: string
  readonly title: string
  readonly outcome: Outcome
  /** Why it was skipped. */
  readonly reason?: string
  /** The first of them; `moreFailures` counts the others. */
  readonly failures: readonly CheckFailure[]
  readonly moreFailures: number
  /** What was seen where the interface leaves it open, and what the check could not tell. */
  readonly observations: readonly string[]
  /** Real time, in milliseconds. */
  readonly ms: number
}

/** How a service was checked against the interface. */
export interface ConformanceReport {
  readonly baseUrl: string
  /** ISO 8601, UTC, with milliseconds. */
  readonly at: string
  readonly requests: number
  readonly counts: Readonly<Record<Outcome, number>>
  readonly checks: readonly CheckResult[]
  /** Why nothing could be checked that needs the key; null where it could. */
  readonly unchecked: string | null
}
