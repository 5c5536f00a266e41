import type { Reply, Request } from '../domain/traffic/message.ts'
import { DEFAULT_NAMESPACE, type Worlds } from '../domain/world/worlds.ts'
import { namespaceOfDocument } from '../engine/documents.ts'
import { namespaceNamed } from '../engine/identify.ts'
import { isInside } from '../engine/resolve.ts'
import type { CallEffect, Command, Commands } from '../history/commands.ts'
import { RecentCommands } from '../history/recent.ts'

/** Keeps the last commands of each namespace, for a recording that is requested later. */
export function keepRecent(commands: Commands, worlds: Worlds): RecentCommands {
  const recent = new RecentCommands(worlds.budget)
  worlds.onHistoryEnd = ({ name }) => recent.forget(name)
  worlds.onRewind = ({ name }, removed) => recent.rewound(name, removed)
  let keys = worlds.default.keys.stored
  commands.listen((command, reply) => {
    const { n, at, from, request, effect } = command
    const { stored } = worlds.default.keys
    const replaced = stored === keys ? undefined : { before: keys, after: stored }
    if (from !== undefined || replaced) recent.keepSharedChange({ n, at, from, keys: replaced })
    keys = stored
    if (effect) {
      keepCall(recent, worlds, command, effect, reply)
      return undefined
    }
    const namespace = recent.pointOf(command)?.exchange.namespace ?? namespaceToJournal(request, worlds)
    if (namespace === undefined) recent.keep(namespaceOfDocument(request, worlds, command.at), command, reply)
    else recent.keepRequest(namespace, command, reply)
    return undefined
  })
  return recent
}

function keepCall(
  recent: RecentCommands,
  worlds: Worlds,
  command: Command,
  { namespace, changes, loses }: CallEffect,
  reply: Reply | Promise<Reply>,
): void {
  // What does not exist has no history yet.
  if (changes !== undefined && worlds.find(changes)) recent.beginAfter(changes, command.n)
  if (namespace === undefined || !worlds.find(namespace)) return
  recent.keep(namespace, command, reply)
  if (!loses) return
  const replied = ({ status }: Reply) => {
    if (loses(status)) recent.beginAfter(namespace, command.n)
  }
  if (reply instanceof Promise) reply.then(replied, () => {})
  else replied(reply)
}

/**
 * The namespace whose journal will have the request; one that does not exist is that of a refused request. Undefined
 * for what is outside, such as a document, and for preflights.
 */
function namespaceToJournal({ method, target, headers }: Request, worlds: Worlds): string | undefined {
  if (method === 'OPTIONS' || !isInside(target)) return undefined
  const name = namespaceNamed(headers)
  return worlds.find(name) ? name : DEFAULT_NAMESPACE
}
