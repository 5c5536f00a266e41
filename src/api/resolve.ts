import { type Contract, ORDERS, type Route } from '../contract/openapi/contract.ts'
import { decoded } from '../text/url.ts'
import { Command } from '../world/command.ts'
import { isRemoved, type Policy } from '../world/policy.ts'
import { BASE_PATH, splitTarget, withoutOrigin } from '../world/traffic/address.ts'
import type { Request } from '../world/traffic/message.ts'
import type { World } from '../world/world.ts'
import type { Call } from './call.ts'

const NONE: readonly string[] = []

const NOTHING = { route: undefined, operation: undefined, params: {}, malformed: false }

/** Looks up the operation of a request. Answers nothing. */
export function resolve(command: Command, contract: Contract, world: World): Call {
  const request = command.request as Request
  const { path, query } = splitTarget(withoutOrigin(request.target))
  const relative = relativePath(path)
  const found = relative === undefined ? NOTHING : contract.resolve(request.method, relative)
  return {
    command,
    request,
    path,
    query,
    inside: relative !== undefined,
    route: found.route,
    operation: found.operation,
    params: found.params,
    malformed: found.malformed,
    arrived: command.at,
    world,
    epoch: undefined,
    now: world.now(command.at),
    id: '',
    caller: undefined,
    sentKey: undefined,
    charged: undefined,
    decision: 'served',
    retryAfter: undefined,
    early: undefined,
    ignored: NONE,
    ignoredMore: 0,
    changed: undefined,
    acted: undefined,
    duplicateOf: undefined,
    violations: undefined,
    delayed: 0,
    durable: undefined,
    sentBefore: undefined,
  }
}

/** Whether a target is under the base path. */
export function isInside(target: string): boolean {
  if (target.startsWith(`${BASE_PATH}/`)) return true
  const [path = ''] = withoutOrigin(target).split('?', 1)
  return relativePath(path) !== undefined
}

/** A command for a request that is not recorded. */
export const unrecordedCommand = (request: Request, at: number): Command =>
  new Command({ n: 0, at, request, keys: [] })

/** The target as it was sent, without origin and base path. */
export function relativeTarget({ request, path, inside }: Call): string {
  const target = withoutOrigin(request.target)
  if (!inside) return target
  const end = path.indexOf('/', 1)
  return target.slice(end < 0 ? path.length : end)
}

/** The path after the base path; undefined outside of it. */
function relativePath(path: string): string | undefined {
  const end = path.indexOf('/', 1)
  const head = end < 0 ? path : path.slice(0, end)
  if (head !== BASE_PATH && !(head.includes('%') && decoded(head) === BASE_PATH)) return undefined
  return end < 0 ? '' : path.slice(end)
}

/** Whether operations with a sunset are removed for this call: after the sunset, or with the trigger key for it. */
export const isRemovedFor = ({ caller, now }: Call, policy: Policy): boolean =>
  caller?.trigger?.removed === true ? policy.get.afterRemoval !== 'serve' : isRemoved(policy, now)

/** The route of a path, without the operations that are removed or, by a decision, unknown. */
export function offered(call: Call, policy: Policy): Route | undefined {
  const { route } = call
  if (!route || (policy.orders === '404' && isOrders(call))) return undefined
  const hasOrders = route.operations.get('GET')?.id === ORDERS
  return (hasOrders ? policy.orders === '404' : isRemovedFor(call, policy)) ? route.remaining : route
}

/** Whether it is for listOrders, or for no operation of a path that has only this one: an overlay may add others. */
export const isOrders = ({ route, operation }: Pick<Call, 'route' | 'operation'>): boolean =>
  operation
    ? operation.id === ORDERS
    : [...(route?.operations.values() ?? [])].every(({ id }) => id === ORDERS)
