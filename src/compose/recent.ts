import { isControlTarget } from '../control/control-path.ts'
import type { Reply, Request } from '../domain/traffic/message.ts'
import { DEFAULT_NAMESPACE, type Worlds } from '../domain/world/worlds.ts'
import { namespaceNamed } from '../engine/identify.ts'
import { isInside } from '../engine/resolve.ts'
import type { Commands } from '../history/commands.ts'
import { RecentCommands } from '../history/recent.ts'
import { jsonOf } from '../openapi/json.ts'

/** Keeps the last commands of each namespace, for a recording that is requested later. */
export function keepRecent(commands: Commands, worlds: Worlds): RecentCommands {
  const recent = new RecentCommands(worlds.budget)
  worlds.onHistoryEnd = ({ name }) => recent.forget(name)
  let keys = worlds.default.keys.stored
  commands.listen((command, reply) => {
    const { request, n } = command
    const { stored } = worlds.default.keys
    if (stored !== keys) recent.keysReplaced({ command, before: keys, after: stored })
    keys = stored
    if (!isControlTarget(request.target)) {
      const namespace = namespaceOfRequest(request, worlds)
      if (isJournaled(request)) recent.keepRequest(namespace, command, reply)
      else recent.keep(namespace, command, reply)
      return undefined
    }
    if (!mayChange(request)) return undefined
    const namespace = namespaceOfCall(request)
    const other = resentTo(request)
    if (other !== undefined && other !== namespace) {
      recent.beginAfter(other, n)
      return undefined
    }
    recent.keep(namespace, command, reply)
    if (REWIND.test(request.target)) recent.keepExchanges(namespace)
    if (SNAPSHOT.test(request.target)) {
      const replied = ({ status }: Reply) => {
        if (losesSnapshot(request, status)) recent.beginAfter(namespace, n)
      }
      if (reply instanceof Promise) reply.then(replied, () => {})
      else replied(reply)
    }
    return undefined
  })
  return recent
}

/** Reading changes nothing, and a copy nothing in its source; its own history begins with it. */
const mayChange = ({ method, target }: Request): boolean =>
  method !== 'GET' && method !== 'HEAD' && !/\/_sandbox\/fork(?:\?|$)/.test(target)

/** What needs no key is answered by `default`. */
function namespaceOfRequest(request: Request, worlds: Worlds): string {
  const name = isJournaled(request) ? namespaceNamed(request.headers) : DEFAULT_NAMESPACE
  return worlds.find(name) ? name : DEFAULT_NAMESPACE
}

function namespaceOfCall({ target }: Request): string {
  const [, dropped] = /\/_sandbox\/namespaces\/([^/?]+)/.exec(target) ?? []
  if (dropped !== undefined) return dropped
  const query = target.indexOf('?')
  return (query < 0 ? null : new URLSearchParams(target.slice(query)).get('namespace')) ?? DEFAULT_NAMESPACE
}

/** A request that is sent again with another key may go to another namespace, in whose recording it cannot be repeated. */
function resentTo({ target, body }: Request): string | undefined {
  if (!body || !/\/resend(?:\?|$)/.test(target)) return undefined
  const { edits, into } = Object(jsonOf(Buffer.from(body).toString())) as {
    readonly edits?: { readonly headers?: object }
    readonly into?: string
  }
  const [, key] = Object.entries(edits?.headers ?? {}).find(([name]) => /^authorization$/i.test(name)) ?? []
  return key === undefined ? into : namespaceNamed(['Authorization', String(key)])
}

/** What is outside, such as a document, may be in no journal; nor are preflights. */
const isJournaled = ({ method, target }: Request): boolean => method !== 'OPTIONS' && isInside(target)

const REWIND = /\/_sandbox\/rewind(?:\?|$)/

const SNAPSHOT = /\/_sandbox\/snapshots\/[^/?]+(?:\?|$)/

/** What a snapshot held before is not known any more. */
const losesSnapshot = ({ method }: Request, status: number): boolean =>
  (method === 'PUT' && status === 200) || (method === 'DELETE' && status === 204)
