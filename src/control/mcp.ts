import { byteLength } from '../text/utf8.ts'
import { fieldValues } from '../world/traffic/message.ts'
import type { ReplyOf, SomeHandlers } from './operation.ts'

export const mcp = {
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
      const response = await deps.mcp(new Request('http://localhost/_sandbox/mcp', init))
      const text = await response.text()
      stop?.()
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
