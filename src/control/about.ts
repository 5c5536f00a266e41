import { SECOND } from '../domain/instant.ts'
import type { Reply } from '../domain/message.ts'
import type { Context } from './context.ts'
import { deprecationPage } from './deprecation-page.ts'
import { jsonReply, textReply } from './reply.ts'

export const getHealth = (context: Context): Reply =>
  jsonReply(200, {
    status: 'ok',
    version: context.deps.version,
    uptimeSeconds: Math.floor((context.real - context.deps.startedAt) / SECOND),
    pets: context.world().shelves.pets.visible.size,
  })

export const getControlDocument = ({ deps }: Context): Reply => jsonReply(200, deps.contract.document)

export const listDecisions = ({ deps }: Context): Reply => jsonReply(200, deps.decisions())

export function getDeprecationNotes(context: Context): Reply {
  const now = context.world().now(context.real)
  return textReply(200, deprecationPage(context.deps.policy, now), 'text/html; charset=utf-8')
}
