import type { Hold } from '../domain/traffic/hold.ts'
import type { Reply } from '../domain/traffic/message.ts'
import { iso } from '../domain/world/instant.ts'
import type { ControlContext } from './context.ts'
import { jsonReply } from './reply.ts'

export const listHolds = (context: ControlContext): Reply =>
  jsonReply(200, context.world().holds.list.map(viewOf))

export function releaseHold(context: ControlContext): Reply {
  const world = context.world()
  const hold = world.holds.release(context.params.id ?? '')
  return jsonReply(200, viewOf(hold))
}

const viewOf = ({ operationId, since, ...hold }: Hold) => ({
  ...hold,
  operationId: operationId ?? null,
  since: iso(since),
})
