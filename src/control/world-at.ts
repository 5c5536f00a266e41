import { ApiError } from '../world/api-error.ts'
import type { Side } from '../world/past.ts'
import { viewOf } from '../world/rewind.ts'
import type { World } from '../world/world.ts'
import type { ControlContext, ControlDeps, PastReader } from './context.ts'

/** A world to read, and its instant of real time. */
export interface WorldAt {
  readonly world: World
  readonly real: number
}

/** The namespace of a call at a point of its history. */
export async function worldAt({ deps, world }: ControlContext, id: string, side: Side): Promise<WorldAt> {
  const present = world()
  const point = present.past.find(id, side)
  return { world: viewOf(present, await pastOf(deps).stateAt(present, point), point.real), real: point.real }
}

/** Throws an ApiError in a proxy: its worlds have no state that a client could see. */
export function pastOf({ past }: Pick<ControlDeps, 'past'>): PastReader {
  if (past) return past
  throw new ApiError(
    'not_implemented',
    'A proxy has no pets, keys, limits or earlier states: the service has them. Use a sandbox instead.',
  )
}
