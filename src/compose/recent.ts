import { isControlTarget } from '../control/control-path.ts'
import type { Request } from '../domain/traffic/message.ts'
import { DEFAULT_NAMESPACE, type Worlds } from '../domain/world/worlds.ts'
import { namespaceNamed } from '../engine/identify.ts'
import type { Commands } from '../history/commands.ts'
import { RecentCommands } from '../history/recent.ts'

/** Keeps the last commands of each namespace, for a recording that is asked for later. */
export function keepRecent(commands: Commands, worlds: Worlds): RecentCommands {
  const recent = new RecentCommands(worlds.budget)
  commands.listen((command, reply) => {
    const { request } = command
    const isCall = isControlTarget(request.target)
    // Reading changes nothing.
    if (!isCall || (request.method !== 'GET' && request.method !== 'HEAD'))
      recent.keep(namespaceOf(request, isCall, worlds), command, reply, isCall)
    return undefined
  })
  return recent
}

function namespaceOf({ target, headers }: Request, isCall: boolean, worlds: Worlds): string {
  if (!isCall) {
    const name = namespaceNamed(headers)
    return worlds.find(name) ? name : DEFAULT_NAMESPACE
  }
  const query = target.indexOf('?')
  return (query < 0 ? null : new URLSearchParams(target.slice(query)).get('namespace')) ?? DEFAULT_NAMESPACE
}
