import { Pets } from '../pets/collection.ts'
import type { Change, PetTable, Shelf, StoredKey } from './stored.ts'
import type { World } from './world.ts'

/**
 * Makes a change durable and then applies it, in the order of the calls. Undefined: done already.
 * Rejects with a 503 Problem where it cannot be written; nothing is applied then.
 */
export type Commit = (world: World, change: Change, apply: () => void) => Promise<void> | undefined

/** Puts other pets (and, where given, other keys) in the place of a namespace's: all at once, for every reader. */
export async function replacePets(
  world: World,
  shelf: Shelf,
  table: PetTable,
  commit: Commit,
  keys?: readonly StoredKey[],
): Promise<void> {
  const shelved = world.shelves[shelf]
  const next = new Pets(table, world.stateSize.add)
  shelved.tip = next
  if (keys) world.keys.plan(keys)
  try {
    await commit(world, { op: 'replace', namespace: world.name, shelf, table, ...(keys && { keys }) }, () => {
      shelved.visible = next
      world.stateSize.recount()
      if (keys) world.keys.settle(keys)
    })
  } catch (error) {
    if (shelved.tip === next) shelved.tip = shelved.visible
    world.keys.revert()
    throw error
  }
}

/** Gives a namespace other keys of its own. */
export async function replaceKeys(world: World, keys: readonly StoredKey[], commit: Commit): Promise<void> {
  world.keys.plan(keys)
  try {
    await commit(world, { op: 'keys', namespace: world.name, keys }, () => world.keys.settle(keys))
  } catch (error) {
    world.keys.revert()
    throw error
  }
}
