import { resolvePolicy } from '../../src/contract/decisions/decisions.ts'
import type { Policy } from '../../src/world/policy.ts'

/** The default policy with some decisions changed. */
export const policyWith = (decisions: Record<string, unknown> = {}): Policy => resolvePolicy(decisions)
