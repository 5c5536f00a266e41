import type { FaultInput } from '../domain/fault.ts'
import { DAY } from '../domain/instant.ts'
import { readLatency } from '../domain/latency.ts'
import type { Reply } from '../domain/message.ts'
import { Problem } from '../domain/problem.ts'
import type { Context } from './context.ts'
import { bareKey, checkOperation } from './named.ts'
import { jsonReply, NO_CONTENT } from './reply.ts'

export const listFaults = (context: Context): Reply => jsonReply(200, context.world().faults.list())

export async function addFault(context: Context<FaultInput>): Promise<Reply> {
  const { body, deps } = context
  const world = context.world()
  const { match, effect } = body
  checkOperation(match?.operationId, 'match.operationId', deps)
  if ('latency' in effect) checkLatency(effect.latency)
  const key = match?.key && bareKey(match.key, world)
  const rule = world.faults.add(key ? { ...body, match: { ...match, key } } : body)
  context.changes.tell(world, 'faults')
  if ('wire' in effect) await deps.freshen()
  return jsonReply(201, rule)
}

export function clearFaults(context: Context): Reply {
  const world = context.world()
  world.faults.clear()
  context.changes.tell(world, 'faults')
  return NO_CONTENT
}

export function removeFault(context: Context): Reply {
  const world = context.world()
  world.faults.remove(context.params.id ?? '')
  context.changes.tell(world, 'faults')
  return NO_CONTENT
}

/** Throws a Problem. */
export function checkLatency(text: string): void {
  try {
    if (readLatency(text).to > DAY) throw new RangeError('an answer can be late by a day at the most')
  } catch (error) {
    throw new Problem('invalid_body', `effect.latency: ${(error as Error).message}`)
  }
}
