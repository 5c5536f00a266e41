import { iso } from '../time/instant.ts'
import type { Hold } from '../world/faults/hold.ts'
import type { OperationContext, ReplyOf } from './operation.ts'
import { jsonReply } from './reply.ts'

export const listHolds = (context: OperationContext<'listHolds'>): ReplyOf<'listHolds'> =>
  jsonReply(200, context.world().holds.list.map(viewOf))

export function releaseHold(context: OperationContext<'releaseHold'>): ReplyOf<'releaseHold'> {
  const world = context.world()
  const hold = world.holds.release(context.params.id)
  return jsonReply(200, viewOf(hold))
}

const viewOf = ({ operationId, since, ...hold }: Hold) => ({
  ...hold,
  operationId: operationId ?? null,
  since: iso(since),
})
