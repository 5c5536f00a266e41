import { parseDuration } from '../domain/duration.ts'
import { iso, parseInstant } from '../domain/instant.ts'
import type { Reply } from '../domain/message.ts'
import { Problem } from '../domain/problem.ts'
import type { World } from '../domain/world.ts'
import type { Context, Schemas } from './context.ts'
import { jsonReply } from './reply.ts'

/** What the clock may show: the years that every form of an instant can hold. */
const FIRST = Date.UTC(1970)
const LAST = Date.UTC(10_000, 0)

export const getClock = (context: Context): Reply => view(context, context.world())

export function turnClock(context: Context<Schemas['ClockTurn']>): Reply {
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

export function resetClock(context: Context): Reply {
  const world = context.world()
  world.turnClock(context.real, (clock) => clock.reset())
  return changed(context, world)
}

function targetOf({ advance, set }: Schemas['ClockTurn'], now: number): number | undefined {
  if (advance !== undefined && set !== undefined) {
    throw new Problem('invalid_body', 'advance and set exclude each other; send one of them')
  }
  const instant =
    advance !== undefined
      ? now + read('advance', () => parseDuration(advance))
      : set && read('set', () => parseInstant(set))
  if (typeof instant !== 'number') return undefined
  if (instant >= FIRST && Math.round(instant) < LAST) return Math.round(instant)
  throw new Problem('invalid_body', 'the clock can show the years 1970 to 9999 only')
}

function read(name: string, parse: () => number): number {
  try {
    return parse()
  } catch (error) {
    throw new Problem('invalid_body', `${name}: ${(error as Error).message}`)
  }
}

function changed(context: Context, world: World): Reply {
  context.changes.tell(world, 'clock')
  return view(context, world)
}

const view = ({ real }: Context, world: World): Reply =>
  jsonReply(200, { now: iso(world.now(real)), frozen: world.clock.frozen })
