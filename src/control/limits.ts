import type { LimitsView } from '../contract/generated/control.types.d.ts'
import { iso, SECOND } from '../time/instant.ts'
import { ApiError } from '../world/api-error.ts'
import {
  banEnd,
  leave,
  liftBan as lift,
  type Meter,
  quota,
  refill,
  type Span,
  startBan,
} from '../world/limits/meter.ts'
import type { PlanName } from '../world/plan.ts'
import type { World } from '../world/world.ts'
import type { ControlContext } from './context.ts'
import { bareKey } from './key-and-operation.ts'
import type { OperationContext, ReplyOf } from './operation.ts'
import { type JsonReply, jsonReply, notFound } from './reply.ts'

export const getKeyLimits = (context: OperationContext<'getKeyLimits'>): ReplyOf<'getKeyLimits'> =>
  view(context, subjectOf(context, context.view()))

export function refillKeyLimits(context: OperationContext<'refillKeyLimits'>): ReplyOf<'refillKeyLimits'> {
  const subject = subjectOf(context)
  return changed(context, subject, 'limits', refill)
}

export function setKeyLimits(context: OperationContext<'setKeyLimits'>): ReplyOf<'setKeyLimits'> {
  const subject = subjectOf(context)
  const { remaining } = context.body
  const { policy } = context.deps
  const plan = policy.plans[subject.plan]
  const { perMinute } = plan
  if (perMinute === null || remaining > perMinute) {
    const allowed = perMinute === null ? 'has no limit per minute' : `allows ${perMinute} requests per minute`
    throw new ApiError(
      'invalid_body',
      `remaining: ${remaining} cannot be left; the plan ${subject.plan} ${allowed}`,
    )
  }
  return changed(context, subject, 'limits', (meter) => leave(meter, plan, subject.now, remaining, policy))
}

export function banKey(context: OperationContext<'banKey'>): ReplyOf<'banKey'> {
  const subject = subjectOf(context)
  const { seconds = context.deps.policy.ban.seconds } = context.body ?? {}
  // The Retry-After that the key received is still valid.
  return changed(context, subject, 'bans', (meter) => startBan(meter, subject.now, seconds * SECOND))
}

export function liftBan(context: OperationContext<'liftBan'>): ReplyOf<'liftBan'> {
  const subject = subjectOf(context)
  return changed(context, subject, 'bans', lift)
}

interface Subject {
  readonly world: World
  readonly key: string
  readonly plan: PlanName
  readonly now: number
}

function subjectOf(
  context: ControlContext & Pick<OperationContext<'getKeyLimits'>, 'params'>,
  { world, real } = { world: context.world(), real: context.real },
): Subject {
  const key = bareKey(context.params.key, world)
  const plan = world.keys.lookUp(key)
  if (!plan) throw notFound(`There is no key ${key} in the namespace ${world.name}.`)
  return { world, key, plan, now: world.now(real) }
}

function changed(
  context: ControlContext,
  subject: Subject,
  part: 'limits' | 'bans',
  change: (meter: Meter) => void,
): JsonReply<200, LimitsView> {
  const { world, key } = subject
  change(world.ownMeter(key))
  // Limits that were set by a call are a reason to keep the namespace.
  world.setByHand.add(part)
  context.changes.notify(world, part)
  return view(context, subject)
}

function view({ deps }: ControlContext, { world, key, plan, now }: Subject): JsonReply<200, LimitsView> {
  const meter = world.meter(key)
  const isValid = world.keys.planOf(key, now) !== undefined
  const window = (span: Span) => {
    const { limit, remaining, resetsAt } = quota(meter, deps.policy.plans[plan], now, span, deps.policy)
    return { limit, remaining: isValid ? remaining : 0, resetsAt: iso(resetsAt) }
  }
  const until = banEnd(meter, now)
  const ban = now < until ? { until: iso(until), seconds: Math.ceil((until - now) / SECOND) } : null
  const windows = { minute: window('minute'), day: window('day') }
  return jsonReply(200, { plan, ...windows, ban, ...(!isValid && { valid: false as const }) })
}
