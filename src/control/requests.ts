import type { JournalEntry, Report } from '../contract/generated/control.types.d.ts'
import { operationIds } from '../contract/openapi/contract.ts'
import { listParts } from '../contract/openapi/json.ts'
import { rememberLast } from '../text/remember-last.ts'
import { isOfStatus } from '../text/status-word.ts'
import { type Eventually, whenReady } from '../time/eventually.ts'
import { ApiError } from '../world/api-error.ts'
import { isRemoved } from '../world/policy.ts'
import type { StoredKey } from '../world/store.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import { entryOf } from '../world/traffic/journal-entry.ts'
import { inNamespace, sumReports, Tally } from '../world/traffic/tally.ts'
import type { World } from '../world/world.ts'
import { acceptedWeight } from './browser-rules.ts'
import type { ControlDeps } from './context.ts'
import { type NamesIn, namedEntry } from './entry-text.ts'
import { streamEvents } from './events.ts'
import { bareKey, checkOperation, keyParts } from './match.ts'
import type { OperationContext, SomeHandlers } from './operation.ts'
import { jsonReply, NO_CONTENT, noSuch, slicedReply, wholeReply } from './reply.ts'
import { searchText } from './search-text.ts'

const HAR = 'application/har+json'

export const requests = {
  listRequests: (context) => whenReady(selectedExchanges(context), (entries) => listReply(entries, context)),
  clearRequests({ world: find, changes }) {
    const world = find()
    world.clearJournal()
    changes.notify(world, 'requests')
    return NO_CONTENT
  },
  getReport({ deps, real, query, view }) {
    const { namespace, at, by } = query
    if (at && namespace === '*')
      throw new ApiError('invalid_parameter', 'at is valid for one namespace only, not for *')
    if (at && by)
      throw new ApiError(
        'invalid_parameter',
        'by counts the current journal, at names an earlier point; leave one of them out',
      )
    const one = namespace === '*' ? undefined : view()
    const worlds = one ? [one.world] : deps.worlds.all()
    const operations = operationsOf(worlds, deps, one?.real ?? real)
    const report = one?.world.tally.view(operations, one.world.keys.secrets.mask)
    const steps = function* () {
      const found = report ?? (yield* reportSteps(worlds, operations))
      return by ? { ...found, tests: yield* testSteps(worlds, operations, !one) } : found
    }
    return deps.slices
      .run(steps())
      .then((found) =>
        found.tests ? wholeReply<Report>(deps.slices, reportParts(found)) : jsonReply(200, found),
      )
  },
  streamEvents: { observe: streamEvents },
} satisfies SomeHandlers

/** The exchanges that a call selects, newest last; a promise if it reads all namespaces or searches for a text. */
function selectedExchanges(context: OperationContext<'listRequests'>): Eventually<readonly Exchange[]> {
  const { query, deps } = context
  const { operationId, status, key, before, q, limit = Infinity } = query
  checkOperation(operationId, 'operationId', deps)
  const isAll = query.namespace === '*'
  if (before !== undefined && isAll)
    throw new ApiError('invalid_parameter', 'before is valid for one namespace only, not for *')
  const { namespace: named } = keyParts(key ?? '', deps)
  const wanted = key && bareKey(key, isAll ? { name: named ?? '' } : context.world(), 'key', deps)
  const ofWorld = (world: World): readonly Exchange[] =>
    earlier(world, before).filter(
      (exchange) =>
        (operationId === undefined || exchange.operationId === operationId) &&
        (status === undefined || isOfStatus(exchange.status, status)) &&
        (wanted === undefined || exchange.key === wanted),
    )
  const ofAll = () => deps.worlds.all().filter(({ name }) => named === undefined || name === named)
  const all = isAll ? deps.slices.run(inOrder(ofAll(), ofWorld)) : ofWorld(context.world())
  const matching = q === undefined ? all : whenReady(all, (each) => deps.slices.run(exchangesWith(each, q)))
  return whenReady(matching, (found) => found.slice(-limit))
}

/** The exchanges of several namespaces by time, in a step for each of them: there may be a thousand. */
export function* inOrder(
  worlds: readonly World[],
  ofWorld: (world: World) => readonly Exchange[],
): Generator<undefined, readonly Exchange[]> {
  const found: (readonly Exchange[])[] = []
  for (const world of worlds) {
    found.push(ofWorld(world))
    yield
  }
  return found.flat().sort((a, b) => a.receivedAt - b.receivedAt)
}

/** The exchanges before a request. */
function earlier({ journal, name }: World, before: string | undefined): readonly Exchange[] {
  const entries = journal.entries()
  if (before === undefined) return entries
  const at = entries.findLastIndex(({ id }) => id === before)
  if (at < 0) throw noSuch('request', before, ` in the journal of ${name}`)
  return entries.slice(0, at)
}

/** The text is searched in the masked entry, so that a search cannot reveal a key. */
function* exchangesWith(
  exchanges: readonly Exchange[],
  text: string,
): Generator<undefined, readonly Exchange[]> {
  const wanted = text.toLowerCase()
  const matching: Exchange[] = []
  for (const exchange of exchanges) {
    if (searchText(entryOf(exchange)).includes(wanted)) matching.push(exchange)
    yield
  }
  return matching
}

function listReply(entries: readonly Exchange[], context: OperationContext<'listRequests'>) {
  const { deps, request, query } = context
  const isAll = query.namespace === '*'
  const worlds = isAll ? deps.worlds.all() : [context.world()]
  // The undone requests, if the call asks for them.
  const undone = query.branch === undefined || isAll ? [] : context.world().past.undone(query.branch)
  const dropped = worlds.reduce((sum, { journal }) => sum + journal.dropped, 0)
  const headers = ['Vary', 'Accept', 'X-Sandbox-Dropped', String(dropped)]
  // The list is written later, but with the current names of the keys.
  const names = new Map(worlds.map(({ name, keys }) => [name, keys.names]))
  const namesIn: NamesIn = (name) => names.get(name)
  const weight = acceptedWeight(HAR, request, 'accept')
  const isHar = weight > 0 && weight >= acceptedWeight('application/json', request, 'accept')
  // The rewind may have undone the issue of a key.
  const namesWith = rememberLast((keys: readonly StoredKey[]) => context.world().keys.withOwn(keys).names)
  const all = [...entries.map((exchange) => ({ exchange, keys: undefined })), ...undone]
  const list = listParts(all, ({ exchange, keys, ...branch }) =>
    JSON.stringify({ ...namedEntry(exchange, keys ? () => namesWith(keys) : namesIn), ...branch }),
  )
  const [parts, mediaType] = isHar ? [deps.har(entries), HAR] : [list, 'application/json']
  return slicedReply<readonly JournalEntry[]>(deps.slices, parts, mediaType, headers)
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

/** The JSON of a report with its tests, in parts. */
function* reportParts({ tests = [], ...report }: Report): Generator<string> {
  yield `${JSON.stringify(report).slice(0, -1)},"tests":`
  yield* listParts(tests, (test) => JSON.stringify(test))
  yield '}'
}

/**
 * A report of each test that sent requests in the journals, in a step for each namespace and each test; counted texts are
 * masked.
 */
export function* testSteps(
  worlds: readonly World[],
  operations: readonly string[],
  isOfMany: boolean,
): Generator<void, Report['tests']> {
  const tallies = new Map<string, Tally>()
  for (const { journal } of worlds) {
    for (const exchange of journal.entries()) {
      const test = exchange.secrets.mask(exchange.test ?? '')
      if (!tallies.has(test)) tallies.set(test, new Tally({ hasNamespaces: isOfMany }))
      tallies.get(test)?.count(exchange)
    }
    yield
  }
  tallies.delete('')
  const tests: NonNullable<Report['tests']>[number][] = []
  for (const [test, tally] of tallies) {
    tests.push({ test, ...tally.view(operations, String) })
    yield
  }
  return tests
}

/** The operations that a client should call: a deprecated one if at least one of these namespaces has it. */
const operationsOf = (worlds: readonly World[], deps: ControlDeps, real: number): readonly string[] =>
  operationIds(deps.document(worlds.every((world) => isRemoved(deps.policy, world.now(real)))))
