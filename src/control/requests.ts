import type { JournalEntry, Report, ResetPart } from '../contract/generated/control.types.d.ts'
import { inThousands } from '../text/in-thousands.ts'
import { whenReady } from '../time/eventually.ts'
import { iso } from '../time/instant.ts'
import { ApiError } from '../world/api-error.ts'
import { isRemoved } from '../world/deprecation.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import { entryOf } from '../world/traffic/journal-entry.ts'
import { fieldValues, type Request } from '../world/traffic/message.ts'
import { inNamespace, sumReports, Tally } from '../world/traffic/tally.ts'
import type { World } from '../world/world.ts'
import type { ControlDeps } from './context.ts'
import { entryText, type NamesIn, namedEntry } from './entry-text.ts'
import { journaled } from './journaled.ts'
import { keepAlive } from './keep-alive.ts'
import type { OperationContext, ReplyOf, SomeHandlers } from './operation.ts'
import { joined, jsonReply, NO_CONTENT, slicedReply } from './reply.ts'
import type { StateChange } from './state-changes.ts'
import { throttled } from './throttle.ts'

const HAR = 'application/har+json'

export const requests = {
  listRequests: (context) => whenReady(journaled(context), (entries) => listOf(entries, context)),
  clearRequests({ world: find, changes }) {
    const world = find()
    world.clearJournal()
    changes.notify(world, 'requests')
    return NO_CONTENT
  },
  getReport({ deps, real, query, view }) {
    const { namespace, at, by } = query
    if (at && (by || namespace === '*'))
      throw new ApiError('invalid_parameter', 'at needs one namespace and no by')
    const one = namespace === '*' ? undefined : view()
    const worlds = one ? [one.world] : deps.worlds.all()
    const operations = operationsOf(worlds, deps, one?.real ?? real)
    const report = one?.world.tally.view(operations, one.world.keys.secrets.mask)
    const steps = function* () {
      const found = report ?? (yield* reportSteps(worlds, operations))
      return by ? { ...found, tests: yield* testSteps(worlds, operations) } : found
    }
    return deps.slices.run(steps()).then((found) => jsonReply(200, found))
  },
  streamEvents: { observe: streamEvents },
} satisfies SomeHandlers

function listOf(
  entries: readonly Exchange[],
  context: OperationContext<'listRequests'>,
): ReplyOf<'listRequests'> {
  const { deps, request, query } = context
  const isAll = query.namespace === '*'
  const worlds = isAll ? deps.worlds.all() : [context.world()]
  // What rewinds undid, if the call asks for it.
  const undone = query.branch === undefined || isAll ? [] : context.world().past.undone(query.branch)
  const dropped = worlds.reduce((sum, { journal }) => sum + journal.dropped, 0)
  const headers = ['Vary', 'Accept', 'X-Sandbox-Dropped', String(dropped)]
  // The list is written later, with the names of now.
  const names = new Map(worlds.map(({ name, keys }) => [name, keys.names]))
  const namesIn: NamesIn = (name) => names.get(name)
  const isHar = accepts(request, HAR)
  const parts = isHar
    ? harParts(entries, deps)
    : listParts([...entries.map((exchange) => ({ exchange })), ...undone], ({ exchange, ...branch }) =>
        JSON.stringify({ ...namedEntry(exchange, namesIn), ...branch }),
      )
  return slicedReply<readonly JournalEntry[]>(deps.slices, parts, isHar ? HAR : 'application/json', headers)
}

function* listParts<T>(items: readonly T[], write: (item: T) => string): Generator<string> {
  yield '['
  yield* joined(items, write)
  yield ']'
}

/** Splits a HAR without entries at its empty list, to write the entries there one by one. */
function* harParts(exchanges: readonly Exchange[], { toHar, harEntry }: ControlDeps): Generator<string> {
  const [head = '', tail = ''] = JSON.stringify(toHar([])).split('[]')
  yield head
  yield* listParts(exchanges, (exchange) => JSON.stringify(harEntry(entryOf(exchange))))
  yield tail
}

/** One step per namespace: there may be a thousand, each with full lists. */
export function* reportSteps(
  worlds: readonly World[],
  operations: readonly string[],
): Generator<void, Report> {
  const reports: Report[] = []
  for (const { tally, name, keys } of worlds) {
    reports.push(inNamespace(name, tally.view(operations, keys.secrets.mask)))
    yield
  }
  return sumReports(reports, operations)
}

/** A report of each test that sent requests in the journals, in a step for each namespace; counted texts are masked. */
export function* testSteps(
  worlds: readonly World[],
  operations: readonly string[],
): Generator<void, Report['tests']> {
  const tallies = new Map<string, Tally>()
  for (const { journal } of worlds) {
    for (const exchange of journal.entries()) {
      const test = exchange.secrets.mask(exchange.test ?? '')
      if (!tallies.has(test)) tallies.set(test, new Tally())
      tallies.get(test)?.count(exchange)
    }
    yield
  }
  tallies.delete('')
  return Array.from(tallies, ([test, tally]) => ({ test, ...tally.view(operations, String) }))
}

const MAX_SUBSCRIBERS = 1000
const TOO_MANY_SUBSCRIBERS = `There are ${inThousands(MAX_SUBSCRIBERS)} subscribers of events, which is the limit. End one of them.`

const eventText = (event: string, json: string): string => `event: ${event}\ndata: ${json}\n\n`

/** Server-sent events: the state at once and after every change, and each recorded exchange. */
function streamEvents(context: OperationContext<'streamEvents'>): ReplyOf<'streamEvents'> {
  const { deps, changes, query } = context
  const isAll = query.namespace === '*'
  const { rate } = query as { readonly rate?: number }
  const { name } = isAll ? deps.worlds.default : context.world()
  if (deps.subscribers.size >= MAX_SUBSCRIBERS)
    throw new ApiError('service_unavailable', TOO_MANY_SUBSCRIBERS)
  return {
    status: 200,
    // X-Accel-Buffering: nginx would hold events back until its buffer is full.
    headers: ['Content-Type', 'text/event-stream', 'Cache-Control', 'no-store', 'X-Accel-Buffering', 'no'],
    body: undefined,
    stream: (send) => {
      const namesIn: NamesIn = (name) => deps.worlds.find(name)?.keys.names
      const textOf = (exchange: Exchange) => eventText('request', entryText(exchange, namesIn))
      const { pass, flush, stop } =
        rate === undefined
          ? { pass: (exchange: Exchange) => send(textOf(exchange)), flush() {}, stop() {} }
          : throttled(rate, textOf, (more) => eventText('more', JSON.stringify(more)), send, deps.timer)
      const subscriber = (exchange: Exchange) => {
        if (isAll || exchange.namespace === name) pass(exchange)
      }
      deps.subscribers.add(subscriber)
      const emitState = ({ changed, to, point }: StateChange) => {
        flush()
        const state = stateOf(deps.worlds.peek(name, deps.clock()), changed, deps)
        const call = { ...(to !== undefined && { kind: 'rewind', to }), ...(point && { point }) }
        send(eventText('state', JSON.stringify({ ...state, ...call })))
      }
      emitState({ changed: [] })
      const unsubscribe = changes.subscribe(name, emitState)
      const stopKeepAlive = keepAlive(send, deps.timer)
      return () => {
        stop()
        stopKeepAlive()
        unsubscribe()
        deps.subscribers.delete(subscriber)
      }
    },
  }
}

/** `changed`: the parts that a control call has just changed. */
function stateOf(world: World, changed: readonly ResetPart[], deps: ControlDeps): object {
  const now = iso(world.now(deps.clock()))
  return {
    namespace: world.name,
    changed,
    pets: world.collections.pets.size,
    clock: { now, frozen: world.clock.frozen },
    faults: world.faults.list().length,
  }
}

/** A deprecated operation is included if at least one of these namespaces has it. */
const operationsOf = (worlds: readonly World[], deps: ControlDeps, real: number): readonly string[] =>
  deps.operations(worlds.every((world) => isRemoved(deps.policy, world.now(real))))

const accepts = ({ headers }: Request, mediaType: string): boolean =>
  fieldValues(headers, 'accept')
    .flatMap((value) => value.split(','))
    .some((range) => range.split(';')[0]?.trim().toLowerCase() === mediaType)
