import type { Reply } from '../domain/traffic/message.ts'
import { SECOND } from '../domain/world/instant.ts'
import type { ControlContext } from './context.ts'
import { deprecationPage } from './deprecation-page.ts'
import { jsonReply, textReply } from './reply.ts'

export const getHealth = (context: ControlContext): Reply =>
  jsonReply(200, {
    status: 'ok',
    version: context.deps.version,
    uptimeSeconds: Math.floor((context.real - context.deps.startedAt) / SECOND),
    pets: context.world().collections.pets.size,
  })

export const getControlDocument = ({ deps }: ControlContext): Reply => jsonReply(200, deps.contract.document)

export const listDecisions = ({ deps }: ControlContext): Reply => jsonReply(200, deps.decisions())

export function getDeprecationNotes(context: ControlContext): Reply {
  const now = context.world().now(context.real)
  return textReply(200, deprecationPage(context.deps.policy, now), 'text/html; charset=utf-8')
}
