import { shifted } from '../time/clock.ts'
import { iso } from '../time/instant.ts'
import type { Slices } from '../time/slices.ts'
import { ApiError } from '../world/api-error.ts'
import { type Back, backTo, isNothing, replacedSince } from '../world/back.ts'
import { type Found, GONE_WORDS, type Side } from '../world/history.ts'
import { keysOfCopy } from '../world/keys/key.ts'
import type { Pets, PetTable } from '../world/pets/collection.ts'
import type { Pet } from '../world/pets/pet.ts'
import { RESET_PARTS } from '../world/reset.ts'
import { forkInto, rewindTo, stateAt } from '../world/rewind.ts'
import type { WorldState } from '../world/state.ts'
import type { CollectionName } from '../world/stored.ts'
import type { World } from '../world/world.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import type { ControlContext, ControlDeps } from './context.ts'
import { guardNewNamespace } from './guard.ts'
import type { OperationContext, PreparedHandler, ReplyOf } from './operation.ts'
import { jsonReply } from './reply.ts'

export function listHistory(context: OperationContext<'listHistory'>): ReplyOf<'listHistory'> {
  const { history } = context.world()
  const why = history.gone === undefined ? [] : ['X-Sandbox-History', GONE_WORDS[history.gone]]
  return jsonReply(200, history.view(), why)
}

/**
 * Rewinds everything to before or after a point, in one step. A refusal comes when it is applied, since history may have
 * changed after it was prepared.
 */
export const rewind: PreparedHandler<'rewind'> = {
  async prepare(context) {
    const { to, side = 'before' } = context.body
    const isSame = sameAs(context.world())
    const tables = await tablesOf(context, to, side).catch(() => ({}))
    return { apply: (applied) => rewindWith(applied, isSame(applied.world()) ? tables : {}) }
  },
}

/** Whether a world is still that one, and has not gone back since. */
function sameAs(world: World): (applied: World) => boolean {
  const { epoch } = world
  return (applied) => applied === world && applied.epoch === epoch
}

function rewindWith(context: OperationContext<'rewind'>, tables: Tables): ReplyOf<'rewind'> {
  const { body, deps, real, changes } = context
  const { to, side = 'before' } = body
  const world = context.world()
  const position = world.history.find(to, side)
  const { history } = world
  if (position.at !== history.position || position.points !== history.points.length) {
    goBack(world, position, tables, real, deps)
    changes.notifyRewind(world, to)
  }
  return jsonReply(200, { now: iso(world.now(real)), pets: world.collections.pets.size })
}

function goBack(
  world: World,
  position: Found,
  prepared: Tables,
  real: number,
  { commit, isDurable }: Pick<ControlDeps, 'commit' | 'isDurable'>,
): void {
  const state = stateAt(world, position)
  const tables: Tables = {}
  // Pets that were replaced since it was prepared go into the file in one go.
  for (const name of isDurable ? replacedSince(world, position) : [])
    tables[name] = prepared[name] ?? tableAtOnce(state.collections[name])
  const back = backTo(world, position, state, tables)
  const goBack = () => rewindTo(world, position, real)
  if (isNothing(back)) goBack()
  else commit(world, { op: 'rewind', namespace: world.name, ...back }, goBack)
}

/** A copy of the world, now or at an earlier point, under another name. */
export const fork: PreparedHandler<'fork'> = {
  // It changes nothing in its source, and the history of the copy begins with it.
  effect: () => ({}),
  async prepare(context) {
    const { body, deps } = context
    if (body.at === undefined && body.side !== undefined) {
      throw new ApiError('invalid_body', 'side needs at: the id of a point')
    }
    const source = context.world()
    const { position } = source.history
    const isSame = sameAs(source)
    // What is refused is refused when it is applied.
    const whole = deps.isDurable ? await preparedFork(context).catch(() => undefined) : undefined
    const isAsPrepared = (applied: World) =>
      isSame(applied) && (body.at !== undefined || applied.history.position === position)
    return { apply: (applied) => forkAs(applied, isAsPrepared(applied.world()) ? whole : undefined) }
  },
}

async function preparedFork({ body, deps, real, world }: OperationContext<'fork'>): Promise<Back> {
  const whole = await wholeOf(stateOf(world(), body, real), deps.slices)
  const target = deps.worlds.peek(body.into, real)
  for (const each of Object.values(whole.collections))
    if ('table' in each) await deps.prepare(target, each.table)
  return whole
}

/** `prepared`: what a data file needs of it; where it is not there, it is made in one go. */
function forkAs(context: OperationContext<'fork'>, prepared: Back | undefined): ReplyOf<'fork'> {
  const { body, deps, real, request, changes } = context
  const { into } = body
  const source = context.world()
  checkFresh(source, into, deps)
  const state = stateOf(source, body, real)
  const isGuarded = deps.token === undefined && !deps.trusted(request)
  if (isGuarded && !deps.worlds.find(into)) guardNewNamespace(request)
  const target = deps.worlds.get(into, real)
  const back = prepared ?? (deps.isDurable ? wholeAtOnce(state) : { collections: {} })
  const change = { op: 'rewind', namespace: into, ...back, keys: state.keys } as const
  deps.commit(target, change, () => forkInto(target, state))
  changes.notify(target, ...RESET_PARTS)
  return jsonReply(201, { namespace: into, key: `psk_pro${into === DEFAULT_NAMESPACE ? '' : `.${into}`}` })
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

type Tables = Partial<Record<CollectionName, PetTable>>

/** The tables that a data file needs to undo the replacement of pets; they are stored before a change names them. */
async function tablesOf(context: ControlContext, to: string, side: Side): Promise<Tables> {
  const world = context.world()
  const position = world.history.find(to, side)
  const replaced = replacedSince(world, position)
  if (!context.deps.isDurable || replaced.size === 0) return {}
  const { collections } = stateAt(world, position)
  const tables: Tables = {}
  for (const name of replaced) {
    tables[name] = await tableOf(collections[name], context.deps.slices)
    await context.deps.prepare(world, tables[name])
  }
  return tables
}

async function wholeOf({ collections, keys }: WorldState, slices: Slices): Promise<Back> {
  const pets = await tableOf(collections.pets, slices)
  const empty = await tableOf(collections.empty, slices)
  return { collections: { pets: { table: pets }, empty: { table: empty } }, keys }
}

function wholeAtOnce({ collections, keys }: WorldState): Back {
  const [pets, empty] = [tableAtOnce(collections.pets), tableAtOnce(collections.empty)]
  return { collections: { pets: { table: pets }, empty: { table: empty } }, keys }
}

const tableAtOnce = (pets: Pets): PetTable =>
  pets.isUnchanged ? pets.table : { pets: [...pets.values()], nextId: pets.nextId }

const tableOf = async (pets: Pets, slices: Slices): Promise<PetTable> =>
  pets.isUnchanged ? pets.table : slices.run(tableSteps(pets))

function* tableSteps(pets: Pets): Generator<undefined, PetTable> {
  const found: Pet[] = []
  for (const pet of pets.values()) {
    found.push(pet)
    if (found.length % 1000 === 0) yield
  }
  return { pets: found, nextId: pets.nextId }
}
