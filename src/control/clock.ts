import type { ClockTurn, ClockView } from '../contract/generated/control.types.d.ts'
import { parseDuration } from '../time/duration.ts'
import { iso, isShowable, parseInstant } from '../time/instant.ts'
import { ApiError } from '../world/api-error.ts'
import type { World } from '../world/world.ts'
import type { ControlContext } from './context.ts'
import type { SomeHandlers } from './operation.ts'
import { parsed } from './read-call.ts'
import { type JsonReply, jsonReply } from './reply.ts'

export const clock = {
  getClock: clockReply,
  turnClock(context) {
    const { real, body } = context
    const world = context.world()
    const target = targetOf(body, world.now(real))
    return turn(context, (clock) => {
      if (target !== undefined) clock.set(target, real)
      if (body.frozen === true) clock.freeze(real)
      if (body.frozen === false) clock.resume(real)
    })
  },
  resetClock: (context) => turn(context, (clock) => clock.reset()),
} satisfies SomeHandlers

function turn(context: ControlContext, act: Parameters<World['turnClock']>[1]): JsonReply<200, ClockView> {
  const world = context.world()
  world.turnClock(context.real, act)
  context.changes.notify(world, 'clock')
  return clockReply(context)
}

function targetOf({ advance, set }: ClockTurn, now: number): number | undefined {
  if (advance !== undefined && set !== undefined)
    throw new ApiError('invalid_body', 'advance and set exclude each other; send one of them')
  const instant =
    advance !== undefined
      ? now + parsed('advance', () => parseDuration(advance))
      : set && parsed('set', () => parseInstant(set))
  if (typeof instant !== 'number') return undefined
  if (isShowable(instant)) return Math.round(instant)
  const given = advance === undefined ? `set: "${set}"` : `advance: "${advance}"`
  const problem = `${given} is out of range; the clock can show the years 1970 to 9999 only`
  throw new ApiError('invalid_body', problem)
}

function clockReply({ view }: ControlContext): JsonReply<200, ClockView> {
  const { world, real } = view()
  return jsonReply(200, { now: iso(world.now(real)), frozen: world.clock.frozen })
}
