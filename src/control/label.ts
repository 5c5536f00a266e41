import { readTestName } from '../world/traffic/test-name.ts'
import type { OperationContext, ReplyOf } from './operation.ts'
import { jsonReply } from './reply.ts'

/** Names the test that sends the requests of a namespace from now on; null: none. */
export function setLabel(context: OperationContext<'setLabel'>): ReplyOf<'setLabel'> {
  const world = context.world()
  const { label } = context.body
  world.label = label === null ? undefined : readTestName(label)
  world.endCall()
  return jsonReply(200, { label: world.label ?? null })
}
