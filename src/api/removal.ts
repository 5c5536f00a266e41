import { isRemoved } from '../world/deprecation.ts'
import type { Policy } from '../world/policy.ts'
import type { Call } from './call.ts'

/** True where deprecated operations are removed for this call: after the sunset, or by its trigger key. */
export const isRemovedFor = ({ caller, now }: Call, policy: Policy): boolean =>
  caller?.trigger?.removed === true ? policy.get.afterRemoval !== 'serve' : isRemoved(policy, now)
