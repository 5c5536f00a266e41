import { shifted } from '../time/clock.ts'
import { iso } from '../time/instant.ts'
import { ApiError } from '../world/api-error.ts'
import { GONE_WORDS } from '../world/history.ts'
import { keysOfCopy } from '../world/keys/key.ts'
import { RESET_PARTS } from '../world/reset.ts'
import { forkInto, rewindTo, stateAt } from '../world/rewind.ts'
import type { WorldState } from '../world/state.ts'
import type { World } from '../world/world.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import type { ControlDeps } from './context.ts'
import { guardNewNamespace } from './guard.ts'
import type { CommandHandler, OperationContext, ReplyOf } from './operation.ts'
import { jsonReply } from './reply.ts'

export function listHistory(context: OperationContext<'listHistory'>): ReplyOf<'listHistory'> {
  const { history } = context.world()
  const why = history.gone === undefined ? [] : ['X-Sandbox-History', GONE_WORDS[history.gone]]
  return jsonReply(200, history.view(), why)
}

/** Rewinds everything to before or after a point, in one step. */
export function rewind(context: OperationContext<'rewind'>): ReplyOf<'rewind'> {
  const { body, deps, real, changes } = context
  const { to, side = 'before' } = body
  const world = context.world()
  const position = world.history.find(to, side)
  const { history } = world
  if (position.at !== history.position || position.points !== history.points.length) {
    const goBack = () => rewindTo(world, position, real)
    // Where nothing is stored, nothing that is stored has changed.
    if (deps.worlds.isStored(world)) deps.commit(world, { op: 'replace', namespace: world.name }, goBack)
    else goBack()
    changes.notifyRewind(world, to)
  }
  return jsonReply(200, { now: iso(world.now(real)), pets: world.collections.pets.size })
}

/** A copy of the world, now or at an earlier point, under another name. */
export const fork: CommandHandler<'fork'> = {
  // It changes nothing in its source, and the history of the copy begins with it.
  effect: () => ({}),
  command: forkAs,
}

function forkAs(context: OperationContext<'fork'>): ReplyOf<'fork'> | Promise<ReplyOf<'fork'>> {
  const { body, deps, real, request, changes } = context
  const { into } = body
  if (body.at === undefined && body.side !== undefined)
    throw new ApiError('invalid_body', 'side needs at: the id of a point')
  const source = context.world()
  checkFresh(source, into, deps)
  const state = stateOf(source, body, real)
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

/** All but the journal; its clock continues from that instant. */
function stateOf(
  source: World,
  { at, side = 'after' }: OperationContext<'fork'>['body'],
  real: number,
): WorldState {
  if (at === undefined) return { ...source.capture(), journal: [] }
  const position = source.history.find(at, side)
  const state = stateAt(source, position)
  const { keys, clock } = state
  return {
    ...state,
    journal: [],
    clock: shifted(clock, position.real, real),
    // The copy inherits from `default` as it is now.
    keys: source.name === DEFAULT_NAMESPACE ? keysOfCopy(keys, source.keys.stored) : keys,
  }
}
