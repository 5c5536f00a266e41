import type { FaultInput } from '../contract/generated/control.types.d.ts'
import { shorten } from '../text/listed.ts'
import { parseDuration } from '../time/duration.ts'
import { DAY, MINUTE } from '../time/instant.ts'
import { ApiError } from '../world/api-error.ts'
import { readLatency } from '../world/faults/latency.ts'
import type { ControlDeps } from './context.ts'
import { bareKey, checkOperation } from './key-and-operation.ts'
import type { OperationContext, ReplyOf } from './operation.ts'
import { jsonReply, NO_CONTENT } from './reply.ts'

export const listFaults = (context: OperationContext<'listFaults'>): ReplyOf<'listFaults'> =>
  jsonReply(200, context.view().world.faults.list())

export async function addFault(context: OperationContext<'addFault'>): Promise<ReplyOf<'addFault'>> {
  const { body, deps } = context
  const world = context.world()
  const { match, effect } = body
  checkRule(body, deps)
  const key = match?.key && bareKey(match.key, world)
  const rule = world.faults.add(key ? { ...body, match: { ...match, key } } : body, world.now(context.real))
  context.changes.notify(world, 'faults')
  if ('wire' in effect) await deps.freshen()
  return jsonReply(201, rule)
}

export function clearFaults(context: OperationContext<'clearFaults'>): ReplyOf<'clearFaults'> {
  const world = context.world()
  world.faults.clear()
  world.holds.releaseWhere(() => true)
  context.changes.notify(world, 'faults')
  return NO_CONTENT
}

export function removeFault(context: OperationContext<'removeFault'>): ReplyOf<'removeFault'> {
  const world = context.world()
  const { id } = context.params
  world.faults.remove(id)
  world.holds.releaseWhere(({ rule }) => rule === id)
  context.changes.notify(world, 'faults')
  return NO_CONTENT
}

/** The length of kept rules is bounded, too. */
function checkLengths(match: FaultInput['match'] = {}): void {
  const long = Object.entries(match).find(([, value]) => value.length > LONGEST)
  if (long) throw new ApiError('invalid_body', `match.${long[0]} must have at most ${LONGEST} characters`)
}

const LONGEST = 1000

/** Checks what the schema of a rule cannot express. Throws an ApiError. */
export function checkRule(rule: FaultInput, deps: Pick<ControlDeps, 'knownOperations'>): void {
  const { match, effect } = rule
  checkLengths(match)
  checkOperation(match?.operationId, 'match.operationId', deps)
  if (rule.for !== undefined) checkDuration('for', rule.for, 365 * DAY, '365d')
  if ('latency' in effect) checkLatency(effect.latency)
  if (!('hold' in effect)) return
  const { until, timeout } = effect.hold
  if (until !== 'released') checkOperation(until.operationId, 'effect.hold.until.operationId', deps)
  if (timeout !== undefined) checkDuration('effect.hold.timeout', timeout, MINUTE, '60s')
}

function checkDuration(name: string, text: string, most: number, mostText: string): void {
  if (text.length <= LONGEST && parseDuration(text) <= most) return
  throw new ApiError('invalid_body', `${name}: "${shorten(text, 100)}" is too long; use ${mostText} or less`)
}

function checkLatency(text: string): void {
  try {
    if (text.length > LONGEST) throw new RangeError(`it must have at most ${LONGEST} characters`)
    if (readLatency(text).to > DAY) throw new RangeError('an answer can be late by a day at the most')
  } catch (error) {
    throw new ApiError('invalid_body', `effect.latency: ${(error as Error).message}`)
  }
}
