import { iso, SECOND } from '../domain/instant.ts'
import type { Reply } from '../domain/message.ts'
import {
  banEnd,
  leave,
  liftBan as lift,
  type Meter,
  quota,
  refill,
  type Span,
  startBan,
} from '../domain/meter.ts'
import type { PlanName } from '../domain/plan.ts'
import { Problem } from '../domain/problem.ts'
import type { World } from '../domain/world.ts'
import type { Context, Schemas } from './context.ts'
import { bareKey } from './named.ts'
import { jsonReply, notFound } from './reply.ts'

export const getKeyLimits = (context: Context): Reply => view(context, subjectOf(context))

export function refillKeyLimits(context: Context): Reply {
  const subject = subjectOf(context)
  refill(subject.meter)
  return changed(context, subject, 'limits')
}

export function setKeyLimits(context: Context<Schemas['LimitsRequest']>): Reply {
  const subject = subjectOf(context)
  const { remaining } = context.body
  const { policy } = context.deps
  const plan = policy.plans[subject.plan]
  const { perMinute } = plan
  if (perMinute === null || remaining > perMinute) {
    const allowed = perMinute === null ? 'has no limit per minute' : `allows ${perMinute} requests per minute`
    throw new Problem(
      'invalid_body',
      `remaining: ${remaining} cannot be left; the plan ${subject.plan} ${allowed}`,
    )
  }
  leave(subject.meter, plan, subject.now, remaining, policy)
  return changed(context, subject, 'limits')
}

export function banKey(context: Context<Schemas['BanRequest'] | undefined>): Reply {
  const subject = subjectOf(context)
  const { seconds = context.deps.policy.ban.seconds } = context.body ?? {}
  lift(subject.meter)
  startBan(subject.meter, subject.now, seconds * SECOND)
  // What the key was told to wait still holds.
  context.changes.tell(subject.world, 'bans')
  return view(context, subject)
}

export function liftBan(context: Context): Reply {
  const subject = subjectOf(context)
  lift(subject.meter)
  return changed(context, subject, 'bans')
}

interface Subject {
  readonly world: World
  readonly key: string
  readonly plan: PlanName
  readonly meter: Meter
  readonly now: number
}

function subjectOf(context: Context): Subject {
  const world = context.world()
  const key = bareKey(context.params.key ?? '', world)
  const plan = world.keys.lookUp(key)
  if (!plan) throw notFound(`There is no key ${key} in the namespace ${world.name}.`)
  return { world, key, plan, meter: world.meter(key), now: world.now(context.real) }
}

function changed(context: Context, subject: Subject, part: 'limits' | 'bans'): Reply {
  // What was set by hand is worth keeping.
  subject.world.setByHand.add(part)
  // Whoever was told to wait need not any longer, or was told by somebody else.
  subject.world.tally.forgetRetries(subject.key)
  context.changes.tell(subject.world, part)
  return view(context, subject)
}

function view({ deps }: Context, { plan, meter, now }: Subject): Reply {
  const window = (span: Span) => {
    const { limit, remaining, resetsAt } = quota(meter, deps.policy.plans[plan], now, span, deps.policy)
    return { limit, remaining, resetsAt: iso(resetsAt) }
  }
  const until = banEnd(meter, now)
  const ban = now < until ? { until: iso(until), seconds: Math.ceil((until - now) / SECOND) } : null
  return jsonReply(200, { plan, minute: window('minute'), day: window('day'), ban })
}
