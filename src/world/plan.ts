import type { PlanName } from '../contract/generated/control.types.d.ts'
import { inThousands } from '../text/in-thousands.ts'

export type { PlanName } from '../contract/generated/control.types.d.ts'

/** The plans of the interface (section 8). */
export const PLAN_NAMES = ['free', 'pro', 'business', 'enterprise'] as const satisfies readonly PlanName[]

/** Requests per window; null = unlimited. */
export interface Plan {
  readonly perMinute: number | null
  readonly perDay: number | null
}

/** The value that the headers report for an unlimited window: the largest int32, which every client can read. */
export const UNLIMITED = 2147483647

/** A number of requests for people. */
export const limitText = (requests: number | null): string =>
  requests === null ? 'unlimited' : inThousands(requests)
