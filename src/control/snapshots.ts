import { refusedText } from '../contract/openapi/validators.ts'
import { iso } from '../time/instant.ts'
import type { Slices } from '../time/slices.ts'
import { ApiError } from '../world/api-error.ts'
import { replacePets } from '../world/commit.ts'
import { NAMESPACE_FORM } from '../world/keys/bearer-token.ts'
import { indexSteps, Pets, sizeOfTable } from '../world/pets/collection.ts'
import type { CompleteFixture } from '../world/pets/fixture.ts'
import type { SnapshotInfo } from '../world/store.ts'
import type { ControlContext } from './context.ts'
import type { OperationContext, SomeHandlers } from './operation.ts'
import { jsonReply, NO_CONTENT, noSuch } from './reply.ts'
import { checkSpace } from './seed.ts'

/** The limit of snapshots in one namespace. */
const MAX_SNAPSHOTS = 100

type NamedContext = ControlContext & Pick<OperationContext<'getSnapshot'>, 'params'>

export const snapshots = {
  listSnapshots: {
    observe: async ({ deps, world }) => jsonReply(200, (await deps.snapshots.list(world().name)).map(viewOf)),
  },
  /** Answers 201, or 200 if a snapshot was replaced. */
  saveSnapshot: {
    isSerial: true,
    async prepare(context) {
      const { saved, info } = await lookUp(context)
      if (!info && saved.length >= MAX_SNAPSHOTS) throw new ApiError('service_unavailable', FULL)
      return {
        async apply({ deps, world, command, params, real }) {
          const saving = world()
          const { name: namespace, keys, collections, past, stateSize } = saving
          const content = { pets: collections.pets.copy(), keys: keys.stored }
          deps.worlds.checkSnapshot(saving, params.name, content)
          // Earlier changes that cannot be stored are undone: no snapshot keeps them.
          await deps.durable(namespace)
          const made = await deps.snapshots.save(namespace, params.name, content, real)
          saving.hasSnapshots = true
          past.saved(params.name, command, info !== undefined)
          stateSize.recount()
          return jsonReply(info ? 200 : 201, viewOf(made))
        },
      }
    },
  },
  getSnapshot: { observe: async (context) => jsonReply(200, viewOf(await existing(context))) },
  deleteSnapshot: {
    isSerial: true,
    async prepare(context) {
      // A snapshot that cannot be read can still be deleted.
      await existing(context).catch((error: ApiError) => {
        if (error.code !== 'conflict') throw error
      })
      return {
        async apply({ deps, world, command, params }) {
          const deleting = world()
          const { name, past, stateSize } = deleting
          await deps.snapshots.delete(name, params.name)
          past.deleted(params.name, command)
          deleting.hasSnapshots = (await deps.snapshots.list(name)).length > 0
          stateSize.recount()
          return NO_CONTENT
        },
      }
    },
  },
  restoreSnapshot: {
    isSerial: true,
    async prepare(context) {
      const info = await existing(context)
      const { snapshots, slices } = context.deps
      const { name } = context.world()
      // A copy of one in memory shares its pets.
      const kept = snapshots.inMemory?.(name).get(info.name)
      const found = kept ?? (await fromFile(await snapshots.read(name, info.name), slices))
      if (!found) throw missing(context)
      return {
        apply({ deps, changes, world: find }) {
          const world = find()
          const { pets, keys } = found
          checkSpace(world, pets.ownBytes + (kept ? 0 : sizeOfTable(pets.table)), false, kept ? [] : keys)
          replacePets(world, pets, deps.commit, keys)
          changes.notify(world, 'pets', 'keys')
          return jsonReply(200, viewOf(info))
        },
      }
    },
  },
} satisfies SomeHandlers

async function fromFile(fixture: CompleteFixture | undefined, slices: Slices) {
  if (!fixture) return undefined
  await slices.run(indexSteps(fixture))
  return { pets: new Pets(fixture), keys: fixture.keys }
}

const FULL = `There are ${MAX_SNAPSHOTS} snapshots of this namespace, which is the limit. Delete one with petstore-sandbox snapshot delete <name> or DELETE /_sandbox/snapshots/{name}.`

/** The snapshots of a namespace, and the one that the call names. Throws an ApiError for an invalid name. */
async function lookUp({ deps, world, params: { name } }: NamedContext) {
  if (!NAMESPACE_FORM.test(name))
    throw new ApiError(
      'invalid_parameter',
      `the name of a snapshot must be 1 to 64 of A-Z a-z 0-9 _ -${refusedText({ refused: name })}`,
    )
  const saved = await deps.snapshots.list(world().name)
  return { saved, info: saved.find((each) => each.name === name) }
}

async function existing(context: NamedContext): Promise<SnapshotInfo> {
  const { info } = await lookUp(context)
  if (info) return info
  // Throws an ApiError with the reason if it is there, but cannot be read.
  await context.deps.snapshots.read(context.world().name, context.params.name)
  throw missing(context)
}

const missing = ({ world, params }: NamedContext): ApiError =>
  noSuch('snapshot', params.name, ` in the namespace ${world().name}`)

const viewOf = ({ name, at, pets }: SnapshotInfo) => ({ name, at: iso(at), pets })
