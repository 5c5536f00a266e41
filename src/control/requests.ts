import { isRemoved } from '../domain/deprecation.ts'
import { entryOf } from '../domain/entry.ts'
import type { Exchange } from '../domain/exchange.ts'
import { iso } from '../domain/instant.ts'
import { fieldValues, type Reply, type Request } from '../domain/message.ts'
import type { ResetPart } from '../domain/reset.ts'
import { sumReports } from '../domain/tally.ts'
import type { World } from '../domain/world.ts'
import type { Context, ControlDeps } from './context.ts'
import { bareKey, checkOperation } from './named.ts'
import { jsonReply, NO_CONTENT, textReply } from './reply.ts'

const HAR = 'application/har+json'

export function listRequests(context: Context): Reply {
  const { query, deps, request } = context
  const { operationId, status, key, limit = Infinity } = query as Filter
  checkOperation(operationId, 'operationId', deps)
  const worlds = worldsOf(context)
  const wanted = key && (worlds.length === 1 ? bareKey(key, worlds[0] as World) : key.split('.', 1)[0])
  const entries = exchangesOf(worlds)
    .filter(
      (exchange) =>
        (operationId === undefined || exchange.operationId === operationId) &&
        (status === undefined || exchange.status === status) &&
        (wanted === undefined || exchange.key === wanted),
    )
    .slice(-limit)
    .map(entryOf)
  return accepts(request, HAR)
    ? textReply(200, JSON.stringify(deps.toHar(entries)), HAR, ['Vary', 'Accept'])
    : jsonReply(200, entries, ['Vary', 'Accept'])
}

/** The namespace that is asked about, or all of them. */
const worldsOf = (context: Context): readonly World[] =>
  context.query.namespace === ALL ? context.deps.worlds.all() : [context.world()]

const ALL = '*'

/** What several worlds remember, in the order of their clocks. */
const exchangesOf = ([first, ...others]: readonly World[]): Exchange[] => {
  const entries = first?.journal.entries() ?? []
  if (others.length === 0) return entries
  return entries.concat(...others.map(({ journal }) => journal.entries())).sort((a, b) => a.at - b.at)
}

interface Filter {
  readonly operationId?: string
  readonly status?: number
  readonly key?: string
  readonly limit?: number
}

export function clearRequests(context: Context): Reply {
  const world = context.world()
  world.journal.clear()
  context.changes.tell(world, 'requests')
  return NO_CONTENT
}

export function getReport(context: Context): Reply {
  const { deps, real, query } = context
  if (query.namespace !== ALL) {
    const world = context.world()
    return jsonReply(200, world.tally.view(operationsOf([world], deps, real)))
  }
  const worlds = deps.worlds.all()
  const operations = operationsOf(worlds, deps, real)
  return jsonReply(
    200,
    sumReports(
      worlds.map((world) => world.tally.view(operations)),
      operations,
    ),
  )
}

/** Server-sent events: the state at once and after every change, each exchange as it is recorded. */
export function streamEvents(context: Context): Reply {
  const { deps, changes } = context
  const name = context.query.namespace === ALL ? undefined : context.world().name
  return {
    status: 200,
    headers: ['Content-Type', 'text/event-stream', 'Cache-Control', 'no-store'],
    body: undefined,
    stream: (send) => {
      const tell = (event: string, data: object) => send(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
      const follower = (exchange: Exchange) => {
        if (name === undefined || exchange.namespace === name) tell('request', entryOf(exchange))
      }
      deps.followers.add(follower)
      const unfollow = name === undefined ? () => {} : followState(name)
      return () => {
        unfollow()
        deps.followers.delete(follower)
      }

      function followState(name: string): () => void {
        const tellState = (changed: readonly ResetPart[]) =>
          tell('state', stateOf(deps.worlds.peek(name, deps.realTime()), changed, deps))
        tellState([])
        return changes.follow(name, tellState)
      }
    },
  }
}

/** `changed`: the parts that a control call has just changed. */
function stateOf(world: World, changed: readonly ResetPart[], deps: ControlDeps): object {
  const now = iso(world.now(deps.realTime()))
  return {
    namespace: world.name,
    changed,
    pets: world.shelves.pets.visible.size,
    clock: { now, frozen: world.clock.frozen },
    faults: world.faults.list().length,
  }
}

/** A deprecated operation is in force as long as it is in one of these namespaces. */
const operationsOf = (worlds: readonly World[], deps: ControlDeps, real: number): readonly string[] =>
  deps.operations(worlds.every((world) => isRemoved(deps.policy, world.now(real))))

const accepts = ({ headers }: Request, mediaType: string): boolean =>
  fieldValues(headers, 'accept')
    .flatMap((value) => value.split(','))
    .some((range) => range.split(';')[0]?.trim().toLowerCase() === mediaType)
