import type { LimitsView } from '../contract/generated/control.types.d.ts'
import { iso, SECOND } from '../time/instant.ts'
import { ApiError } from '../world/api-error.ts'
import { splitToken } from '../world/keys/bearer-token.ts'
import {
  banEnd,
  leave,
  liftBan,
  type Meter,
  quota,
  refill,
  type Span,
  startBan,
} from '../world/limits/meter.ts'
import type { Plan, PlanName } from '../world/plan.ts'
import type { World } from '../world/world.ts'
import type { ControlContext } from './context.ts'
import type { SomeHandlers } from './operation.ts'
import { type JsonReply, jsonReply, noSuch } from './reply.ts'

export const limits = {
  getKeyLimits: (context) => jsonReply(200, limitsOf(context, subjectOf(context))),
  refillKeyLimits: (context) => changed(context, 'limits', refill),
  setKeyLimits: (context) =>
    changed(context, 'limits', (meter, { plan: name, now }) => {
      const { remaining } = context.body
      const { policy } = context.deps
      const plan = policy.plans[name]
      checkRemaining(remaining, name, plan)
      leave(meter, plan, now, remaining, policy)
    }),
  banKey: (context) =>
    // Keeps the wait: the Retry-After that the client received is still valid.
    changed(context, 'bans', (meter, { now }) => {
      const { seconds = context.deps.policy.ban.seconds } = context.body ?? {}
      startBan(meter, now, seconds * SECOND)
    }),
  liftBan: (context) => changed(context, 'bans', liftBan),
} satisfies SomeHandlers

function checkRemaining(remaining: number, name: PlanName, { perMinute }: Plan): void {
  if (perMinute !== null && remaining <= perMinute) return
  const allowed = perMinute === null ? 'has no limit per minute' : `allows ${perMinute} requests per minute`
  throw new ApiError('invalid_body', `remaining: ${remaining} cannot be left; the plan ${name} ${allowed}`)
}

interface Subject {
  readonly world: World
  readonly key: string
  readonly plan: PlanName
  readonly now: number
}

type KeyContext = ControlContext & { readonly params: { readonly key: string } }

/** The key that a call names. Throws an ApiError if its namespace has none. */
export function subjectOf({ params, view }: KeyContext): Subject {
  const { world, real } = view()
  const { key, namespace = world.name } = splitToken(params.key)
  const plan = namespace === world.name && world.keys.lookUp(key)
  if (!plan) throw noSuch('key', params.key, ` in the namespace ${world.name}`)
  return { world, key, plan, now: world.now(real) }
}

function changed(
  context: KeyContext,
  part: 'limits' | 'bans',
  change: (meter: Meter, subject: Subject) => void,
): JsonReply<200, LimitsView> {
  const subject = subjectOf(context)
  const { world, key } = subject
  change(world.meters.own(key), subject)
  // A namespace whose limits were set by hand is not dropped to make room.
  world.setByHand.add(part)
  context.changes.notify(world, part)
  return jsonReply(200, limitsOf(context, subject))
}

export function limitsOf({ deps }: ControlContext, { world, key, plan, now }: Subject): LimitsView {
  const meter = world.meters.of(key)
  const isValid = world.keys.planOf(key, now) !== undefined
  const window = (span: Span) => {
    const { limit, remaining, resetsAt } = quota(meter, deps.policy.plans[plan], now, span, deps.policy)
    return { limit, remaining: isValid ? remaining : 0, resetsAt: iso(resetsAt) }
  }
  const until = banEnd(meter, now)
  const ban = now < until ? { until: iso(until), seconds: Math.ceil((until - now) / SECOND) } : null
  const windows = { minute: window('minute'), day: window('day') }
  return { plan, ...windows, ban, ...(!isValid && { valid: false as const }) }
}
