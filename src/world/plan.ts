import type { PlanName } from '../contract/generated/control.types.d.ts'
import { inThousands } from '../text/in-thousands.ts'

export type { PlanName } from '../contract/generated/control.types.d.ts'
export { UNLIMITED } from '../text/in-thousands.ts'

/** The plans of the interface (section 8). */
export const PLAN_NAMES = ['free', 'pro', 'business', 'enterprise'] as const satisfies readonly PlanName[]

/** Requests per window; null = unlimited. */
export interface Plan {
  readonly perMinute: number | null
  readonly perDay: number | null
}

/** A number of requests for people. */
export const limitText = (requests: number | null): string =>
  requests === null ? 'unlimited' : inThousands(requests)
