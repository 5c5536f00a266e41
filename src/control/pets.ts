import { NO_PETS } from '../domain/pets/collection.ts'
import type { Pet } from '../domain/pets/pet.ts'
import type { Reply } from '../domain/traffic/message.ts'
import { replaceKeys, replacePets } from '../domain/world/commit.ts'
import { partsToReset, type ResetPart, resetUnstored } from '../domain/world/reset.ts'
import type { PetsView, StoredKey } from '../domain/world/stored.ts'
import { shelve, type World } from '../domain/world/world.ts'
import type { ControlContext, ControlDeps, Schemas } from './context.ts'
import { jsonReply, slicedReply } from './reply.ts'
import { joined } from './slices.ts'

/** Back to the start: what is stored first, because that alone can fail. */
export async function reset(context: ControlContext<Schemas['ResetRequest'] | undefined>): Promise<Reply> {
  const parts = partsToReset(context.body?.only)
  const world = context.world()
  await resetWorld(world, parts, context.deps)
  context.changes.tell(world, ...parts)
  return jsonReply(200, { reset: parts, pets: world.shelves.pets.visible.size })
}

export async function resetWorld(
  world: World,
  parts: readonly ResetPart[],
  deps: ControlDeps,
): Promise<void> {
  await resetStored(world, parts, deps)
  resetUnstored(world, parts, deps.realTime())
}

async function resetStored(
  world: World,
  parts: readonly ResetPart[],
  { worlds, commit }: ControlDeps,
): Promise<void> {
  const { start, shelves } = world
  if (!worlds.isStored(world)) {
    // Nothing of it was ever stored, so there is nothing to take back; at most an id was used up in vain.
    if (parts.includes('pets')) Object.assign(shelves.pets, shelve(start.pets, world.stateSize))
    world.stateSize.recount()
    return
  }
  const keys = parts.includes('keys') ? start.keys : undefined
  if (parts.includes('pets')) {
    await Promise.all([
      replacePets(world, 'pets', start.pets, commit, keys),
      replacePets(world, 'empty', NO_PETS, commit),
    ])
  } else if (keys) await replaceKeys(world, keys, commit)
}

export function exportNamespace(context: ControlContext): Reply {
  const world = context.world()
  const view = world.shelves.pets.visible.view()
  return slicedReply(
    exportParts(view, exportedKeys(world.keys.stored), context.deps.writePet),
    'application/json',
  )
}

function* exportParts(
  view: PetsView,
  keys: readonly StoredKey[],
  writePet: (pet: Pet) => string,
): Generator<string> {
  yield '{"pets":['
  yield* joined(eachPet(view), writePet)
  yield `],"nextId":${view.nextId},"keys":${JSON.stringify(keys)}}`
}

function* eachPet({ parts }: PetsView): Generator<Pet> {
  for (const { pets, count } of parts) for (let i = 0; i < count; i++) yield pets[i] as Pet
}

/** Keys as a fixture has them; one that was revoked says so, or it would open again. */
export const exportedKeys = (keys: readonly StoredKey[]): StoredKey[] =>
  keys.map(({ key, plan, expiresAt, revoked }) => ({
    key,
    plan,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(revoked && { revoked }),
  }))
