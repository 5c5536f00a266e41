import type { KeyView } from '../contract/generated/control.types.d.ts'
import { encodeUtf8 } from '../text/utf8.ts'
import { iso, parseInstant } from '../time/instant.ts'
import { replaceKeys } from '../world/commit.ts'
import type { World } from '../world/world.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import { limitsOf, subjectOf } from './limits.ts'
import type { SomeHandlers } from './operation.ts'
import { parsed } from './read-call.ts'
import { jsonReply, NO_CONTENT } from './reply.ts'

export const keys = {
  listKeys(context) {
    const { world, real } = context.view()
    const now = world.now(real)
    return jsonReply(
      200,
      world.keys.list(now).map((view) => ({
        ...withSuffix(view, world),
        name: world.keys.names.get(view.key) as string,
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
          replaceKeys(world, world.keys.with(issued), context.deps.commit)
          // In another namespace, names count the keys of `default` first: a later one there would change the number.
          const name = world.name === DEFAULT_NAMESPACE && world.keys.names.get(key)
          context.command.asCall().what = name ? `key ${name} issued` : `key issued, plan ${plan}`
          context.changes.notify(world, 'keys')
          const made = world.keys.list(world.now(context.real)).find((view) => view.key === key) as KeyView
          return jsonReply(201, withSuffix(made, world))
        },
        ...(body.key === undefined && { request: sent }),
      }
    },
  },
  revokeKey(context) {
    const { world, key } = subjectOf(context)
    replaceKeys(world, world.keys.without(key), context.deps.commit)
    context.changes.notify(world, 'keys')
    return NO_CONTENT
  },
} satisfies SomeHandlers

/** A key as a client has to send it: with the suffix of the namespace, if only this namespace has the key. */
function withSuffix(view: KeyView, { name, keys, inherited }: World): KeyView {
  const isKnownToAll = !keys.hasIssued(view.key) && inherited?.lookUp(view.key)
  return name === DEFAULT_NAMESPACE || isKnownToAll ? view : { ...view, key: `${view.key}.${name}` }
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** `psk_`, the plan, and 24 random characters. */
const newKey = (plan: string, entropy: (length: number) => Uint8Array): string =>
  `psk_${plan}_${Array.from(entropy(24), (byte) => BASE62[byte % BASE62.length]).join('')}`
