import { ApiError } from '../world/api-error.ts'
import type { WorldState } from '../world/parts.ts'
import type { Point, Side } from '../world/past.ts'
import { viewOf } from '../world/rewind.ts'
import type { World } from '../world/world.ts'
import type { ControlContext, ControlDeps } from './context.ts'

/** A world to read, and its instant of real time. */
export interface WorldAt {
  readonly world: World
  readonly real: number
}

/** The namespace of a call at a point of its history. */
export async function worldAt({ deps, world }: ControlContext, id: string, side: Side): Promise<WorldAt> {
  const present = world()
  const point = present.past.find(id, side)
  return { world: viewOf(present, await stateAt(deps, present, point), point.real), real: point.real }
}

export function stateAt({ stateAt }: ControlDeps, world: World, point: Point): Promise<WorldState> {
  if (stateAt) return stateAt(world, point)
  throw new ApiError(
    'not_implemented',
    'A proxy has no earlier states: the service holds the state. Use a sandbox instead.',
  )
}
