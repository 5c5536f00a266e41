import { shifted } from '../time/clock.ts'
import { iso } from '../time/instant.ts'
import { ApiError } from '../world/api-error.ts'
import { keysOfCopy } from '../world/keys/key.ts'
import type { WorldState } from '../world/parts.ts'
import { GONE_WORDS, type Point } from '../world/past.ts'
import { RESET_PARTS } from '../world/reset.ts'
import { forkInto, rewindTo, undoRewind } from '../world/rewind.ts'
import type { World } from '../world/world.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import type { ControlDeps } from './context.ts'
import { guardNewNamespace } from './guard.ts'
import type { OperationContext, PreparedHandler, ReplyOf } from './operation.ts'
import { jsonReply } from './reply.ts'
import { stateAt } from './seen.ts'

export function listHistory(context: OperationContext<'listHistory'>): ReplyOf<'listHistory'> {
  const { past } = context.world()
  const why = past.gone === undefined ? [] : ['X-Sandbox-History', GONE_WORDS[past.gone]]
  return jsonReply(200, past.view(context.query.branch), why)
}

/** Goes back to before or after a point, in one step; or undoes that. */
export const rewind: PreparedHandler<'rewind'> = {
  past: 'once',
  // What it goes back to stays what it is meanwhile.
  isSerial: true,
  async prepare({ body, deps, world }) {
    const { to, side, undo, branch } = body
    if (undo ? to !== undefined || side !== undefined : to === undefined || branch !== undefined)
      throw new ApiError('invalid_body', 'send to (with side), or "undo": true (with branch)')
    if (to === undefined) return { apply: (context) => undoWith(context, branch) }
    const point = world().past.find(to, side ?? 'before')
    const state = await stateAt(deps, world(), point)
    return { apply: (context) => rewindWith(context, point, state) }
  },
}

function rewindWith(
  context: OperationContext<'rewind'>,
  { command, side }: Point,
  state: WorldState,
): ReplyOf<'rewind'> {
  const { to = '' } = context.body
  const world = context.world()
  const point = world.past.find(to, side)
  if (point.command !== command)
    throw new ApiError('conflict', `The namespace ${world.name} was dropped meanwhile.`)
  if (point.position === context.command.began) return rewound(context, world, {})
  replaceStored(world, context.deps, () => rewindTo(world, point, state, context.command))
  context.changes.notifyRewind(world, to)
  return rewound(context, world, { branch: world.past.branch().name })
}

function undoWith(context: OperationContext<'rewind'>, branch: string | undefined): ReplyOf<'rewind'> {
  const world = context.world()
  const { name } = world.past.branch(branch)
  replaceStored(world, context.deps, () => undoRewind(world, name, context.command))
  context.changes.notifyRewind(world, name)
  return rewound(context, world, { branch: world.past.branch().name })
}

const rewound = (
  { real }: OperationContext<'rewind'>,
  world: World,
  branch: { readonly branch?: string },
): ReplyOf<'rewind'> =>
  jsonReply(200, { now: iso(world.now(real)), pets: world.collections.pets.size, ...branch })

/** Where nothing is stored, nothing that is stored has changed. `apply` returns how to undo it. */
function replaceStored(world: World, { worlds, commit }: ControlDeps, apply: () => () => void): void {
  if (worlds.isStored(world)) commit(world, { op: 'replace', namespace: world.name }, apply)
  else apply()
}

/** A copy of the world, now or at an earlier point, under another name. */
export const fork: PreparedHandler<'fork'> = {
  // It changes nothing in the namespace that it names, and the history of the copy begins with it.
  past: 'none',
  async prepare({ body, deps, world }) {
    const { at, side } = body
    if (at === undefined && side !== undefined)
      throw new ApiError('invalid_body', 'side needs at: the id of a point')
    if (at === undefined) return { apply: (context) => forkAs(context, context.world().capture()) }
    const source = world()
    const point = source.past.find(at, side ?? 'after')
    const { clock, keys, ...state } = await stateAt(deps, source, point)
    return {
      apply: (context) =>
        forkAs(context, {
          ...state,
          clock: shifted(clock, point.real, context.real),
          // The copy inherits from `default` as it is now.
          keys: source.name === DEFAULT_NAMESPACE ? keysOfCopy(keys, source.keys.stored) : keys,
        }),
    }
  },
}

function forkAs(
  context: OperationContext<'fork'>,
  state: WorldState,
): ReplyOf<'fork'> | Promise<ReplyOf<'fork'>> {
  const { body, deps, real, request, changes } = context
  const { into } = body
  checkFresh(context.world(), into, deps)
  const isGuarded = deps.token === undefined && !deps.trusted(request)
  if (isGuarded && !deps.worlds.find(into)) guardNewNamespace(request)
  const target = deps.worlds.get(into, real)
  deps.commit(target, { op: 'replace', namespace: into }, () => forkInto(target, state))
  changes.notify(target, ...RESET_PARTS)
  const key = `psk_pro${into === DEFAULT_NAMESPACE ? '' : `.${into}`}`
  const reply = jsonReply(201, { namespace: into, key })
  return deps.durable(into)?.then(() => reply) ?? reply
}

/** Refuses to fork into a namespace that is in use. */
function checkFresh(source: World, into: string, { worlds }: ControlDeps): void {
  const target = worlds.find(into)
  const isFresh = !target || (target !== source && !worlds.isStored(target) && !target.hasChanged)
  if (isFresh) return
  const message = `The namespace ${into} has changed already. Fork into another one, or drop it with DELETE /_sandbox/namespaces/${into}.`
  throw new ApiError('conflict', message)
}
