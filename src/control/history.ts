import type { PointView, Side } from '../contract/generated/control.types.d.ts'
import { listParts } from '../contract/openapi/json.ts'
import { shifted } from '../time/clock.ts'
import { iso } from '../time/instant.ts'
import { ApiError } from '../world/api-error.ts'
import type { Command } from '../world/command.ts'
import { keysOfCopy } from '../world/keys/key.ts'
import type { WorldState } from '../world/parts.ts'
import { GONE_WORDS, idOf, type Point } from '../world/point.ts'
import { RESET_PARTS } from '../world/reset.ts'
import { forkInto, rewindTo, undoRewind, viewOf } from '../world/rewind.ts'
import type { World } from '../world/world.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import { lineAbout } from './call-words.ts'
import type { ControlContext, ControlDeps, PastReader, WorldAt } from './context.ts'
import type { InCommand, ReplyOf, SomeHandlers } from './operation.ts'
import { jsonReply, slicedReply, wholeReply } from './reply.ts'

export const history = {
  listHistory({ deps, world, query }) {
    const { past } = world()
    const why = past.gone === undefined ? [] : ['X-Sandbox-History', GONE_WORDS[past.gone]]
    const parts = listParts(past.view(query.branch), (point) => JSON.stringify(point))
    return wholeReply<PointView[]>(deps.slices, parts, why)
  },
  getRecording: {
    observe: ({ deps, world }) =>
      slicedReply(deps.slices, pastOf(deps).recording(world()), 'application/jsonl'),
  },
  /** Rewinds to before or after a point, or undoes a rewind. */
  rewind: {
    past: 'once',
    isAlone: true,
    command: (context) => {
      const { to, side, undo, branch } = context.body
      if (undo ? to !== undefined || side !== undefined : to === undefined || branch !== undefined)
        throw new ApiError('invalid_body', 'send to (with side), or "undo": true (with branch)')
      return to === undefined ? undoWith(context, branch) : rewindWith(context, to, side)
    },
  },
  /** Copies the world, now or at an earlier point, to another namespace. */
  fork: {
    // A fork changes nothing in the namespace of the call, and the history of the copy begins after it.
    past: 'none',
    isAlone: true,
    async command(context) {
      const { body, deps, real, namespace, changes } = context
      const { into, at, side = 'after' } = body
      if (at === undefined && body.side !== undefined)
        throw new ApiError('invalid_body', 'side is valid only with at, the id of a point')
      const source = deps.worlds.find(namespace) ? context.world() : deps.worlds.peek(namespace, real)
      const point = at === undefined ? undefined : source.past.find(at, side)
      if (namespace === into)
        throw new ApiError('conflict', `The namespace ${into} is this one. Give the copy another name.`)
      if (!isFresh(into, deps)) throw changedAlready(into)
      const state = point ? await stateOf(source, point, context) : source.capture()
      const target = context.world(into)
      const origin = { namespace: source.name, ...(at && { at, side }) }
      deps.commit(target, { op: 'replace', namespace: into }, () => forkInto(target, state, origin))
      const stored = deps.durable(into)
      stored?.catch(() => deps.worlds.dropUnchanged(into))
      changes.notify(target, ...RESET_PARTS)
      const key = `psk_pro${into === DEFAULT_NAMESPACE ? '' : `.${into}`}`
      context.due.push(stored)
      return jsonReply(201, { namespace: into, key })
    },
  },
} satisfies SomeHandlers

type Rewind = InCommand<'rewind'>

async function rewindWith(context: Rewind, to: string, side: Side = 'before'): Promise<ReplyOf<'rewind'>> {
  const { deps, command } = context
  const world = context.world()
  const point = found(context, ({ past }) => past.find(to, side, command))
  if (world.past.isPresent(point, command)) {
    world.past.withdraw(command)
    return replyOf(context, {})
  }
  const state = await pastOf(deps).stateAt(world, point)
  return replace(context, to, () => rewindTo(world, point, state, command))
}

function undoWith(context: Rewind, name: string | undefined): ReplyOf<'rewind'> {
  const world = context.world()
  const branch = found(context, ({ past }) => past.branch(name))
  return replace(context, branch.name, () => undoRewind(world, branch, context.command), branch.ended[0])
}

/** A refused rewind is not in the history: a recording may begin after what its answer depends on. */
function found<T>({ world, command }: Rewind, find: (world: World) => T): T {
  try {
    return find(world())
  } catch (error) {
    world().past.withdraw(command)
    throw error
  }
}

/** `again`: the first command that an undone rewind restores. */
function replace(context: Rewind, to: string, apply: () => () => void, again?: Command): ReplyOf<'rewind'> {
  const world = context.world()
  replaceStored(world, context.deps, apply)
  const made = world.past.madeBy(context.command)
  const [gone] = made?.ended ?? []
  context.command.asCall().what = again
    ? `the rewind to before ${idOf(again)} is undone`
    : `back before ${gone ? idOf(gone) : to}`
  context.changes.notifyRewind(world, to)
  return replyOf(context, made ? { branch: made.name } : {})
}

const replyOf = ({ real, world }: Rewind, branch: { readonly branch?: string }): ReplyOf<'rewind'> =>
  jsonReply(200, { now: iso(world().now(real)), pets: world().collections.pets.size, ...branch })

/** Replaces the state of a world; commits that only if the world is stored. `apply` may return a function that undoes it. */
export function replaceStored(world: World, { commit }: ControlDeps, apply: () => unknown): void {
  if (world.isStored) commit(world, { op: 'replace', namespace: world.name }, apply)
  else apply()
}

/** The state at a point, without the history. The clock continues from that instant. */
async function stateOf(source: World, point: Point, { deps, real }: ControlContext): Promise<WorldState> {
  const state = await pastOf(deps).stateAt(source, point)
  const clock = shifted(state.clock, point.real, real)
  // The copy inherits the current keys of `default`.
  const isDefault = source.name === DEFAULT_NAMESPACE
  return { ...state, clock, keys: isDefault ? keysOfCopy(state.keys, source.keys.stored) : state.keys }
}

/** Whether a fork into the namespace of that name would overwrite nothing. */
export function isFresh(into: string, { worlds }: Pick<ControlDeps, 'worlds'>): boolean {
  const target = worlds.find(into)
  return !target || !(target.isStored || target.hasChanged)
}

export function changedAlready(into: string): ApiError {
  // Dropping `default` resets it; its requests still count as changes.
  const drop = `, or drop it with petstore-sandbox ${lineAbout('namespaces drop', into).join(' ')} or DELETE /_sandbox/namespaces/${into}`
  const advice = `Fork into another one${into === DEFAULT_NAMESPACE ? '' : drop}.`
  return new ApiError('conflict', `The namespace ${into} has changed already. ${advice}`)
}

/** The namespace of a call at a point of its history. */
export async function worldAt({ deps, world }: ControlContext, id: string, side: Side): Promise<WorldAt> {
  const present = world()
  const point = present.past.find(id, side)
  const { real, command } = point
  const { inherited } = present
  const then = present.name === DEFAULT_NAMESPACE ? inherited : inherited?.withOwn(command.keys)
  return { world: viewOf(present, await pastOf(deps).stateAt(present, point), real, then), real }
}

/** The paths of calls about state that a proxy does not have, whatever their input. */
export const NEEDS_PAST = /^\/(diff|export|fork|keys|pets|rewind|seed|snapshots|state)\b/

/** Throws an ApiError in a proxy: its worlds have no state that a client could see. */
export function pastOf({ past }: Pick<ControlDeps, 'past'>): PastReader {
  if (past) return past
  throw new ApiError(
    'not_implemented',
    'A proxy has no pets, keys, limits or earlier states: the service has them. Use a sandbox instead.',
  )
}
