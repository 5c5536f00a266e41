import { describeDecisions } from '../contract/decisions/decisions.ts'
import { VERSION } from '../contract/version.ts'
import { SECOND } from '../time/instant.ts'
import { isRemoved } from '../world/deprecation.ts'
import { deprecationPage } from './deprecation-page.ts'
import type { SomeHandlers } from './operation.ts'
import { jsonReply, textReply } from './reply.ts'
import { metric } from './request-counts.ts'

const DELAY = 'The longest delay of the event loop since the last call.'

export const about = {
  getHealth: {
    observe: ({ deps, real, world }) =>
      jsonReply(200, {
        status: 'ok',
        version: VERSION,
        uptimeSeconds: Math.floor((real - deps.startedAt) / SECOND),
        pets: world().collections.pets.size,
        fixtures: deps.fixtureNames,
        ...(deps.service && { service: deps.service }),
      }),
  },
  getControlDocument: { observe: ({ deps }) => jsonReply(200, { ...deps.contract.document }) },
  getInterface: {
    observe: ({ deps, real, world }) =>
      jsonReply(200, { ...deps.document(isRemoved(deps.policy, world().now(real))) }),
  },
  listDecisions: { observe: ({ deps }) => jsonReply(200, describeDecisions(deps.policy)) },
  getDeprecationNotes: {
    observe: ({ deps, real, world }) =>
      textReply(200, deprecationPage(deps.policy, world().now(real)), 'text/html; charset=utf-8'),
  },
  getMetrics: {
    observe: ({ deps: { counts, worlds, hasOneNamespace, loopDelay }, namespace }) => {
      const gauge = (name: string, help: string, value: number | undefined) =>
        value === undefined ? [] : [...metric(name, 'gauge', help, [['', value]])]
      const here = worlds.all().filter(({ name }) => !hasOneNamespace || name === namespace)
      const lines = [
        ...counts.lines(),
        ...gauge('petstore_worlds', 'Namespaces.', here.length),
        ...gauge('petstore_kept_bytes', 'Memory for data about requests.', worlds.budget.bytes),
        ...gauge('petstore_loop_delay_seconds', DELAY, loopDelay()),
      ]
      return textReply(200, `${lines.join('\n')}\n`, 'text/plain; version=0.0.4; charset=utf-8')
    },
  },
} satisfies SomeHandlers
