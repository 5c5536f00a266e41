import type { Reply, Request } from '../domain/traffic/message.ts'
import { DEFAULT_NAMESPACE, type Worlds } from '../domain/world/worlds.ts'
import { namespaceNamed } from '../engine/identify.ts'
import { isInside } from '../engine/resolve.ts'
import type { CallEffect, Command, Commands } from '../history/commands.ts'
import { RecentCommands } from '../history/recent.ts'

/** Keeps the last commands of each namespace, for a recording that is requested later. */
export function keepRecent(commands: Commands, worlds: Worlds): RecentCommands {
  const recent = new RecentCommands(worlds.budget)
  worlds.onHistoryEnd = ({ name }) => recent.forget(name)
  let keys = worlds.default.keys.stored
  commands.listen((command, reply) => {
    const { request, effect } = command
    const { stored } = worlds.default.keys
    if (stored !== keys) recent.keysReplaced({ command, before: keys, after: stored })
    keys = stored
    if (effect) {
      keepCall(recent, command, effect, reply)
      return undefined
    }
    const namespace = namespaceOf(request, worlds)
    if (isJournaled(request)) recent.keepRequest(namespace, command, reply)
    else recent.keep(namespace, command, reply)
    return undefined
  })
  return recent
}

function keepCall(
  recent: RecentCommands,
  command: Command,
  { namespace, changes, rewinds, loses }: CallEffect,
  reply: Reply | Promise<Reply>,
): void {
  if (changes !== undefined) recent.beginAfter(changes, command.n)
  if (namespace === undefined) return
  recent.keep(namespace, command, reply)
  if (rewinds) recent.keepExchanges(namespace)
  if (!loses) return
  const replied = ({ status }: Reply) => {
    if (loses(status)) recent.beginAfter(namespace, command.n)
  }
  if (reply instanceof Promise) reply.then(replied, () => {})
  else replied(reply)
}

/** What needs no key is answered by `default`. */
function namespaceOf(request: Request, worlds: Worlds): string {
  const name = isJournaled(request) ? namespaceNamed(request.headers) : DEFAULT_NAMESPACE
  return worlds.find(name) ? name : DEFAULT_NAMESPACE
}

/** What is outside, such as a document, may be in no journal; nor are preflights. */
const isJournaled = ({ method, target }: Request): boolean => method !== 'OPTIONS' && isInside(target)
