import { refusedText } from '../contract/openapi/validators.ts'
import { iso } from '../time/instant.ts'
import { ApiError } from '../world/api-error.ts'
import { replacePets } from '../world/commit.ts'
import { NAMESPACE_FORM } from '../world/keys/bearer-token.ts'
import { indexSteps, sizeOfTable } from '../world/pets/collection.ts'
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
          const { name: namespace, keys, collections, past } = saving
          const content = { pets: collections.pets.copy(), keys: keys.stored }
          const made = await deps.snapshots.save(namespace, params.name, content, real)
          saving.hasSnapshots = true
          past.saved(params.name, command, info !== undefined)
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
          const { name, past } = deleting
          await deps.snapshots.delete(name, params.name)
          past.deleted(params.name, command)
          deleting.hasSnapshots = (await deps.snapshots.list(name)).length > 0
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
      const fixture = await snapshots.read(context.world().name, info.name)
      if (!fixture) throw missing(context)
      await slices.run(indexSteps(fixture))
      return {
        apply({ deps, changes, world: find }) {
          const world = find()
          checkSpace(world, sizeOfTable(fixture), false)
          replacePets(world, fixture, deps.commit, fixture.keys)
          changes.notify(world, 'pets', 'keys')
          return jsonReply(200, viewOf(info))
        },
      }
    },
  },
} satisfies SomeHandlers

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
