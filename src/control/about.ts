import { SECOND } from '../time/instant.ts'
import { deprecationPage } from './deprecation-page.ts'
import type { SomeHandlers } from './operation.ts'
import { jsonReply, textReply } from './reply.ts'

export const about = {
  getHealth: {
    observe: ({ deps, real, world }) =>
      jsonReply(200, {
        status: 'ok',
        version: deps.version,
        uptimeSeconds: Math.floor((real - deps.startedAt) / SECOND),
        pets: world().collections.pets.size,
        fixtures: deps.fixtureNames,
      }),
  },
  getControlDocument: { observe: ({ deps }) => jsonReply(200, { ...deps.contract.document }) },
  listDecisions: { observe: ({ deps }) => jsonReply(200, deps.decisions()) },
  getDeprecationNotes: {
    observe: ({ deps, real, world }) =>
      textReply(200, deprecationPage(deps.policy, world().now(real)), 'text/html; charset=utf-8'),
  },
} satisfies SomeHandlers
