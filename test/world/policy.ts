import { resolvePolicy } from '../../src/contract/decisions/decisions.ts'
import type { Policy } from '../../src/world/policy.ts'

/** The policy with some decisions taken otherwise than by default. */
export const policyWith = (decisions: Record<string, unknown> = {}): Policy => resolvePolicy(decisions)
