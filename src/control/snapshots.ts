import { iso } from '../time/instant.ts'
import { ApiError } from '../world/api-error.ts'
import { replacePets } from '../world/commit.ts'
import { NAMESPACE_FORM } from '../world/keys/key.ts'
import { indexSteps, sizeOfTable } from '../world/pets/collection.ts'
import type { Fixture } from '../world/pets/fixture.ts'
import type { SnapshotInfo } from '../world/store.ts'
import type { ControlContext } from './context.ts'
import type { OperationContext, ReplyOf, SomeHandlers } from './operation.ts'
import { exportedKeys } from './pets.ts'
import { jsonReply, NO_CONTENT, noSuch } from './reply.ts'
import { checkRoom } from './seed.ts'

/** The limit of snapshots in one namespace. */
export const MAX_SNAPSHOTS = 100

type NamedContext = ControlContext & Pick<OperationContext<'getSnapshot'>, 'params'>

export const snapshots = {
  listSnapshots: {
    observe: async ({ deps, world }) => jsonReply(200, (await deps.snapshots.list(world().name)).map(viewOf)),
  },
  /** Answers 201, or 200 if a snapshot was replaced. */
  saveSnapshot: {
    isSerial: true,
    async prepare(context) {
      const isReplaced = await hasRoom(context)
      return { apply: (applied) => save(applied, isReplaced) }
    },
  },
  getSnapshot: { observe: async (context) => jsonReply(200, viewOf(await existing(context))) },
  deleteSnapshot: { isSerial: true, prepare: (context) => existing(context).then(() => ({ apply: remove })) },
  restoreSnapshot: {
    isSerial: true,
    async prepare(context) {
      const { info, fixture } = await saved(context)
      await context.deps.slices.run(indexSteps(fixture))
      return { apply: (applied) => restore(applied, info, fixture) }
    },
  },
} satisfies SomeHandlers

/** Whether a snapshot of that name exists. Throws an ApiError if there is no room for a new one. */
async function hasRoom(context: OperationContext<'saveSnapshot'>): Promise<boolean> {
  const name = nameOf(context)
  const saved = await context.deps.snapshots.list(context.world().name)
  const isReplaced = saved.some((info) => info.name === name)
  if (!isReplaced && saved.length >= MAX_SNAPSHOTS) {
    const message = `There are ${MAX_SNAPSHOTS} snapshots of this namespace, which is the limit. Delete one with DELETE /_sandbox/snapshots/{name}.`
    throw new ApiError('service_unavailable', message)
  }
  return isReplaced
}

async function save(
  context: OperationContext<'saveSnapshot'>,
  isReplaced: boolean,
): Promise<ReplyOf<'saveSnapshot'>> {
  const name = nameOf(context)
  const { name: namespace, keys, collections, past } = context.world()
  // A recording cannot contain the content that was replaced.
  if (isReplaced) past.lose(context.command.n)
  const content = { pets: collections.pets.copy(), keys: exportedKeys(keys.stored) }
  const info = await context.deps.snapshots.save(namespace, name, content, context.real)
  return jsonReply(isReplaced ? 200 : 201, viewOf(info))
}

async function remove(context: OperationContext<'deleteSnapshot'>): Promise<ReplyOf<'deleteSnapshot'>> {
  const world = context.world()
  await context.deps.snapshots.delete(world.name, nameOf(context))
  world.past.lose(context.command.n)
  return NO_CONTENT
}

async function saved(
  context: OperationContext<'restoreSnapshot'>,
): Promise<{ info: SnapshotInfo; fixture: Fixture }> {
  const info = await existing(context)
  const fixture = await context.deps.snapshots.read(context.world().name, info.name)
  if (!fixture) throw missing(context, info.name)
  return { info, fixture }
}

function restore(
  context: OperationContext<'restoreSnapshot'>,
  info: SnapshotInfo,
  fixture: Fixture,
): ReplyOf<'restoreSnapshot'> {
  const { deps, changes } = context
  const world = context.world()
  checkRoom(world, sizeOfTable(fixture), false)
  replacePets(world, fixture, deps.commit, fixture.keys)
  changes.notify(world, 'pets', 'keys')
  return jsonReply(200, viewOf(info))
}

function nameOf({ params }: NamedContext): string {
  const { name } = params
  if (NAMESPACE_FORM.test(name)) return name
  throw new ApiError('invalid_parameter', 'the name of a snapshot must be 1 to 64 of A-Z a-z 0-9 _ -')
}

async function existing(context: NamedContext): Promise<SnapshotInfo> {
  const name = nameOf(context)
  const all = await context.deps.snapshots.list(context.world().name)
  const info = all.find((each) => each.name === name)
  if (!info) throw missing(context, name)
  return info
}

const missing = (context: ControlContext, name: string): ApiError =>
  noSuch('snapshot', name, ` in the namespace ${context.world().name}`)

const viewOf = ({ name, at, pets }: SnapshotInfo) => ({ name, at: iso(at), pets })
