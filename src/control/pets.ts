import type { Fixture, ResetPart } from '../contract/generated/control.types.d.ts'
import { replaceKeys } from '../world/commit.ts'
import { NO_PETS, type Pets } from '../world/pets/collection.ts'
import type { Pet } from '../world/pets/pet.ts'
import { partsToReset, resetUnstored } from '../world/reset.ts'
import type { StoredKey } from '../world/stored.ts'
import type { World } from '../world/world.ts'
import type { ControlDeps } from './context.ts'
import type { OperationContext, ReplyOf } from './operation.ts'
import { joined, jsonReply, slicedReply } from './reply.ts'

/** Resets the parts. Those that are stored come first, because only they can fail. */
export function reset(context: OperationContext<'reset'>): ReplyOf<'reset'> {
  const parts = partsToReset(context.body?.only)
  const world = context.world()
  resetWorld(world, parts, context.deps)
  context.changes.notify(world, ...parts)
  return jsonReply(200, { reset: parts, pets: world.collections.pets.size })
}

export function resetWorld(world: World, parts: readonly ResetPart[], deps: ControlDeps): void {
  resetStored(world, parts, deps)
  resetUnstored(world, parts, deps.realTime())
}

function resetStored(world: World, parts: readonly ResetPart[], { worlds, commit }: ControlDeps): void {
  const { start } = world
  if (!worlds.isStored(world)) {
    // Nothing of it was stored, so nothing has to be undone; at most an id stays unused.
    if (parts.includes('pets')) world.collections.set('pets', start.pets)
    return
  }
  const keys = parts.includes('keys') ? start.keys : undefined
  if (parts.includes('pets')) {
    commit(world, { op: 'replace', namespace: world.name }, () => {
      world.collections.set('pets', start.pets)
      world.collections.set('empty', NO_PETS)
      if (keys) world.keys.replace(keys)
    })
  } else if (keys) replaceKeys(world, keys, commit)
}

export function exportNamespace(context: OperationContext<'exportNamespace'>): ReplyOf<'exportNamespace'> {
  const { collections, keys } = context.view().world
  const parts = exportParts(collections.pets.copy(), exportedKeys(keys.stored), context.deps.writePet)
  return slicedReply<Fixture>(context.deps.slices, parts, 'application/json')
}

function* exportParts(
  pets: Pets,
  keys: readonly StoredKey[],
  writePet: (pet: Pet) => string,
): Generator<string> {
  yield '{"pets":['
  yield* joined(pets.values(), writePet)
  yield `],"nextId":${pets.nextId},"keys":${JSON.stringify(keys)}}`
}

/** Keys as a fixture has them; a revoked key is marked, because it would be valid again otherwise. */
export const exportedKeys = (keys: readonly StoredKey[]): StoredKey[] =>
  keys.map(({ key, plan, expiresAt, revoked }) => ({
    key,
    plan,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(revoked && { revoked }),
  }))
