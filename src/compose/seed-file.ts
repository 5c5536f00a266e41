import type { ControlClient } from '../client/control.ts'
import { recordShapeOf } from '../client/record-shape.ts'
import type { Seed } from '../contract/generated/control.types.d.ts'
import { FIXTURE_NAMES, loadBoth } from '../node/files/load.ts'

/**
 * Replaces the path of a fixture file in a seed by its pets. Fields of an overlay stay; the sandbox validates them.
 * Rejects with a FixtureError.
 */
export async function withFile(seed: Seed, client: ControlClient): Promise<Seed> {
  if (!('fixture' in seed) || FIXTURE_NAMES.includes(seed.fixture)) return seed
  const { fixture, ...others } = seed
  const { input } = await loadBoth(fixture, await recordShapeOf(client))
  return { ...(input as Seed), ...others }
}
