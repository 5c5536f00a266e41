/** The plans of the interface (section 8). */
export const PLAN_NAMES = ['free', 'pro', 'business', 'enterprise'] as const
export type PlanName = (typeof PLAN_NAMES)[number]

/** Requests per window; null = unlimited. */
export interface Plan {
  readonly perMinute: number | null
  readonly perDay: number | null
}

/** What an unlimited window reports: the largest int32, which every client can read. */
export const UNLIMITED = 2147483647
