import type { Route } from '../contract/openapi/contract.ts'
import { isRemoved } from '../world/deprecation.ts'
import type { Policy } from '../world/policy.ts'
import type { Call } from './call.ts'

export const ORDERS = 'listOrders'

/** Whether deprecated operations are removed for this call: after the sunset, or with the trigger key for it. */
export const isRemovedFor = ({ caller, now }: Call, policy: Policy): boolean =>
  caller?.trigger?.removed === true ? policy.get.afterRemoval !== 'serve' : isRemoved(policy, now)

/** The route of a path, without the operations that are removed. */
export function offered(call: Call, policy: Policy): Route | undefined {
  const { route } = call
  if (!route || (policy.orders === '404' && isOrders(route))) return undefined
  return isRemovedFor(call, policy) && !isOrders(route) ? route.remaining : route
}

export const isOrders = ({ operations }: Route): boolean => operations.get('GET')?.id === ORDERS
