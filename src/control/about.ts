import { SECOND } from '../time/instant.ts'
import { deprecationPage } from './deprecation-page.ts'
import type { OperationContext, ReplyOf } from './operation.ts'
import { jsonReply, textReply } from './reply.ts'

export const getHealth = (context: OperationContext<'getHealth'>): ReplyOf<'getHealth'> =>
  jsonReply(200, {
    status: 'ok',
    version: context.deps.version,
    uptimeSeconds: Math.floor((context.real - context.deps.startedAt) / SECOND),
    pets: context.world().collections.pets.size,
    fixtures: context.deps.fixtureNames,
  })

export const getControlDocument = ({
  deps,
}: OperationContext<'getControlDocument'>): ReplyOf<'getControlDocument'> =>
  jsonReply(200, { ...deps.contract.document })

export const listDecisions = ({ deps }: OperationContext<'listDecisions'>): ReplyOf<'listDecisions'> =>
  jsonReply(200, deps.decisions())

export function getDeprecationNotes(
  context: OperationContext<'getDeprecationNotes'>,
): ReplyOf<'getDeprecationNotes'> {
  const now = context.world().now(context.real)
  return textReply(200, deprecationPage(context.deps.policy, now), 'text/html; charset=utf-8')
}
