import type { ClockTurn, ClockView } from '../contract/generated/control.types.d.ts'
import { parseDuration } from '../time/duration.ts'
import { iso, isShowable, parseInstant } from '../time/instant.ts'
import { ApiError } from '../world/api-error.ts'
import type { World } from '../world/world.ts'
import type { ControlContext } from './context.ts'
import type { OperationContext, ReplyOf } from './operation.ts'
import { type JsonReply, jsonReply } from './reply.ts'

export const getClock = (context: OperationContext<'getClock'>): ReplyOf<'getClock'> => view(context.view())

export function turnClock(context: OperationContext<'turnClock'>): ReplyOf<'turnClock'> {
  const { real, body } = context
  const world = context.world()
  const target = targetOf(body, world.now(real))
  world.turnClock(real, (clock) => {
    if (target !== undefined) clock.set(target, real)
    if (body.frozen === true) clock.freeze(real)
    if (body.frozen === false) clock.resume(real)
  })
  return changed(context, world)
}

export function resetClock(context: OperationContext<'resetClock'>): ReplyOf<'resetClock'> {
  const world = context.world()
  world.turnClock(context.real, (clock) => clock.reset())
  return changed(context, world)
}

function targetOf({ advance, set }: ClockTurn, now: number): number | undefined {
  if (advance !== undefined && set !== undefined) {
    throw new ApiError('invalid_body', 'advance and set exclude each other; send one of them')
  }
  const instant =
    advance !== undefined
      ? now + read('advance', () => parseDuration(advance))
      : set && read('set', () => parseInstant(set))
  if (typeof instant !== 'number') return undefined
  if (isShowable(instant)) return Math.round(instant)
  throw new ApiError('invalid_body', 'the clock can show the years 1970 to 9999 only')
}

function read(name: string, parse: () => number): number {
  try {
    return parse()
  } catch (error) {
    throw new ApiError('invalid_body', `${name}: ${(error as Error).message}`)
  }
}

function changed(context: ControlContext, world: World): JsonReply<200, ClockView> {
  context.changes.notify(world, 'clock')
  return view({ world, real: context.real })
}

const view = ({ world, real }: { readonly world: World; readonly real: number }): JsonReply<200, ClockView> =>
  jsonReply(200, { now: iso(world.now(real)), frozen: world.clock.frozen })
