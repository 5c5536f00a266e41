import { describeDecisions } from '../contract/decisions/decisions.ts'
import { VERSION } from '../contract/version.ts'
import { byteLength } from '../text/utf8.ts'
import { SECOND } from '../time/instant.ts'
import { isRemoved } from '../world/policy.ts'
import { CONTROL_PATH } from '../world/traffic/address.ts'
import { fieldValue, fieldValues } from '../world/traffic/message.ts'
import { forwardedField } from '../world/traffic/peer.ts'
import { deprecationPage } from './deprecation-page.ts'
import type { ReplyOf, SomeHandlers } from './operation.ts'
import { jsonReply, textReply } from './reply.ts'
import { metric } from './request-counts.ts'

const DELAY = 'The longest delay of the event loop since the last call.'

export const about = {
  getHealth: {
    observe: ({ deps, real, world }) =>
      jsonReply(200, {
        status: 'ok',
        version: VERSION,
        uptimeSeconds: Math.max(0, Math.floor((real - deps.startedAt) / SECOND)),
        pets: world().collections.pets.size,
        fixtures: deps.fixtureNames,
        ...(deps.service && { service: deps.service }),
      }),
  },
  getControlDocument: {
    observe: ({ deps: { contract }, request }) => {
      const { scheme = 'http', headers } = request
      // Behind a proxy, scheme and prefix are unknown.
      const host = forwardedField(request) ? undefined : fieldValue(headers, 'host')
      // Tools that read the document from a file have no base for a relative address.
      const url = host === undefined ? CONTROL_PATH : `${scheme}://${host}${CONTROL_PATH}`
      return jsonReply(200, { ...contract.document, servers: [{ url, description: 'This sandbox' }] })
    },
  },
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
  /** Passes a message of the Model Context Protocol on; the guard has accepted it. */
  callMcp: {
    async observe({ request, deps }) {
      const { method, body } = request
      const headers = new Headers()
      for (const name of ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name']) {
        const value = fieldValues(request.headers, name).join(', ')
        if (value !== '') headers.set(name, value)
      }
      const left = new AbortController()
      const stop = request.onGone?.(() => left.abort())
      const init = { method, headers, signal: left.signal, ...(body && { body: body as BodyInit }) }
      const { response, text } = await deps
        .mcp(new Request('http://localhost/_sandbox/mcp', init))
        .then(async (response) => ({ response, text: await response.text() }))
        .finally(stop)
      const kept = ['content-type', 'mcp-protocol-version', 'allow'].flatMap((name) => {
        const value = response.headers.get(name)
        return value === null ? [] : [name, value]
      })
      const length = text === '' ? [] : ['Content-Length', String(byteLength(text))]
      // The status and the body follow the protocol.
      return {
        status: response.status,
        headers: [...kept, ...length, 'Cache-Control', 'no-store'],
        body: text === '' ? undefined : text,
      } as ReplyOf<'callMcp'>
    },
  },
} satisfies SomeHandlers
