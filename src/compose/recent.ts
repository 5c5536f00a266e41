import { namespaceOfDocument } from '../api/documents.ts'
import { namespaceNamed } from '../api/identify.ts'
import { isInside } from '../api/resolve.ts'
import type { CallEffect, Command, Commands } from '../past/commands.ts'
import { RecentCommands } from '../past/recent.ts'
import type { Reply, Request } from '../world/traffic/message.ts'
import { DEFAULT_NAMESPACE, type Worlds } from '../world/worlds.ts'

/** Keeps the last commands of each namespace, for a recording that is requested later. */
export function keepRecent(commands: Commands, worlds: Worlds): RecentCommands {
  const recent = new RecentCommands(worlds.budget)
  worlds.onHistoryEnd = (world) => recent.forget(world)
  worlds.onRewind = (world, removed) => recent.rewound(world, removed)
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
    const journaledIn = recent.pointOf(command)?.exchange.namespace ?? namespaceToJournal(request, worlds)
    const world = worlds.find(journaledIn ?? namespaceOfDocument(request, worlds, at))
    if (world && journaledIn === undefined) recent.keep(world, command, reply)
    else if (world) recent.keepRequest(world, command, reply)
    return undefined
  })
  return recent
}

function keepCall(
  recent: RecentCommands,
  worlds: Worlds,
  command: Command,
  { namespace = '', changes = '', loses }: CallEffect,
  reply: Reply | Promise<Reply>,
): void {
  const changed = worlds.find(changes)
  if (changed) recent.beginAfter(changed, command.n)
  const world = worlds.find(namespace)
  if (!world) return
  recent.keep(world, command, reply)
  if (!loses) return
  const replied = ({ status }: Reply) => {
    if (loses(status)) recent.beginAfter(world, command.n)
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
