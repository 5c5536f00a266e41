import type { KeyView, LimitsView } from '../contract/generated/control.types.d.ts'
import { plural } from '../text/plural.ts'
import { shorten } from '../text/shorten.ts'
import { encodeUtf8 } from '../text/utf8.ts'
import { iso, parseInstant, SECOND } from '../time/instant.ts'
import { ApiError } from '../world/api-error.ts'
import { replaceKeys } from '../world/commit.ts'
import { NAMESPACE_FORM, splitToken } from '../world/keys/bearer-token.ts'
import { sizeOfKeys } from '../world/keys/key.ts'
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
import type { StoredKey } from '../world/store.ts'
import type { World } from '../world/world.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import type { ControlContext, ControlDeps } from './context.ts'
import type { SomeHandlers } from './operation.ts'
import { parsed } from './read-call.ts'
import { type JsonReply, jsonReply, NO_CONTENT, noSuch, notFound } from './reply.ts'

export const keys = {
  listKeys(context) {
    const { world, real } = context.view()
    const now = world.now(real)
    return jsonReply(
      200,
      world.keys.list().map((view) => ({
        ...withSuffix(view, world),
        name: world.keys.names.get(view.key),
        limits: limitsOf(context, { world, key: view.key, plan: view.plan, now }),
      })),
    )
  },
  /** The command contains a generated key as if the client had sent it, so that a replay has the same one. */
  createKey: {
    async prepare({ body, request, deps }) {
      const { plan, expiresAt, key = newKey(plan, deps.entropy) } = body
      const sent = { ...request, body: encodeUtf8(JSON.stringify({ ...body, key })) }
      return {
        apply(context) {
          const world = context.world()
          const until = expiresAt && { expiresAt: iso(parsed('expiresAt', () => parseInstant(expiresAt))) }
          const issued = { key, plan, ...until, issued: true } as const
          replace(world, world.keys.with(issued), context.deps)
          context.command.asCall().what = `${world.keys.names.get(key)} issued`
          context.changes.notify(world, 'keys')
          const made = world.keys.list().find((view) => view.key === key) as KeyView
          return jsonReply(201, withSuffix(made, world))
        },
        ...(body.key === undefined && { request: sent }),
      }
    },
  },
  revokeKey(context) {
    const { world, key } = subjectOf(context)
    replace(world, world.keys.without(key), context.deps)
    context.changes.notify(world, 'keys')
    return NO_CONTENT
  },
  getKeyLimits: (context) => jsonReply(200, limitsOf(context, subjectOf(context))),
  refillKeyLimits: (context) => changeMeter(context, 'limits', refill),
  setKeyLimits: (context) =>
    changeMeter(context, 'limits', (meter, { plan: name, now }) => {
      const { remaining } = context.body
      const { policy } = context.deps
      const plan = policy.plans[name]
      checkRemaining(remaining, name, plan)
      leave(meter, plan, now, remaining, policy)
    }),
  banKey: (context) =>
    // Keeps the wait: the Retry-After that the client received is still valid.
    changeMeter(context, 'bans', (meter, { now }) => {
      const { seconds = context.deps.policy.ban.seconds } = context.body ?? {}
      startBan(meter, now, seconds * SECOND)
    }),
  liftBan: (context) => changeMeter(context, 'bans', liftBan),
} satisfies SomeHandlers

/** Throws a 503 ApiError if the keys take more memory than is free. */
function replace(world: World, own: readonly StoredKey[], { commit }: ControlDeps): void {
  world.stateSize.check(() => sizeOfKeys(own) - sizeOfKeys(world.keys.stored))
  replaceKeys(world, own, commit)
}

/** A key as a client has to send it: with the suffix of the namespace, if only this namespace has the key. */
function withSuffix(view: KeyView, { name, keys, inherited }: World): KeyView {
  const isKnownToAll = !keys.hasIssued(view.key) && inherited?.lookUp(view.key)
  return name === DEFAULT_NAMESPACE || isKnownToAll ? view : { ...view, key: `${view.key}.${name}` }
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** `psk_`, the plan, and 24 random characters. */
const newKey = (plan: string, entropy: (length: number) => Uint8Array): string =>
  `psk_${plan}_${Array.from(entropy(24), (byte) => BASE62[byte % BASE62.length]).join('')}`

function checkRemaining(left: number, name: PlanName, { perMinute }: Plan): void {
  if (perMinute !== null && left <= perMinute) return
  const has = perMinute === null ? 'has no limit' : `allows ${plural(perMinute, 'request')}`
  throw new ApiError('invalid_body', `remaining: ${left} cannot be left; the plan ${name} ${has} per minute`)
}

interface Subject {
  readonly world: World
  readonly key: string
  readonly plan: PlanName
  readonly now: number
}

type KeyContext = ControlContext & { readonly params: { readonly key: string } }

/** The key that a call names. Throws an ApiError if its namespace has none. */
function subjectOf({ params, view }: KeyContext): Subject {
  const { world, real } = view()
  const { key, namespace = world.name } = splitToken(params.key)
  if (namespace !== world.name && NAMESPACE_FORM.test(namespace)) {
    const problem = `${shorten(params.key)} names the namespace ${namespace}, but this call acts on ${world.name}`
    throw notFound(`${problem}; leave out .${namespace}, or use the namespace ${namespace}`)
  }
  const plan = namespace === world.name && world.keys.lookUp(key)
  if (!plan) throw noSuch('key', params.key, ` in the namespace ${world.name}`)
  return { world, key, plan, now: world.now(real) }
}

function changeMeter(
  context: KeyContext,
  part: 'limits' | 'bans',
  change: (meter: Meter, subject: Subject) => void,
): JsonReply<200, LimitsView> {
  const subject = subjectOf(context)
  const { world, key } = subject
  change(world.meters.writable(key), subject)
  // A namespace whose limits were set by hand is not dropped to make room.
  world.setByHand.add(part)
  context.changes.notify(world, part)
  return jsonReply(200, limitsOf(context, subject))
}

function limitsOf({ deps }: ControlContext, { world, key, plan, now }: Subject): LimitsView {
  const meter = world.meters.get(key)
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
