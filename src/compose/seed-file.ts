import type { ControlClient } from '../client/control.ts'
import { servedPetShape } from '../client/pet-shape.ts'
import type { Seed } from '../contract/generated/control.types.d.ts'
import { FIXTURE_NAMES, loadBoth } from '../node/files/load.ts'

/**
 * Replaces the path of a fixture file in a seed by its pets. Fields of an overlay stay; the sandbox validates them.
 * Rejects with a FixtureError.
 */
export async function withFile(seed: Seed, client: ControlClient): Promise<Seed> {
  // The sandbox refuses everything else.
  const { fixture, ...others }: { readonly fixture?: unknown } = Object(seed)
  if (typeof fixture !== 'string' || FIXTURE_NAMES.includes(fixture)) return seed
  const { input } = await loadBoth(fixture, await servedPetShape(client))
  return { ...(input as Seed), ...others }
}
