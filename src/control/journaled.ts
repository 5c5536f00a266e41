import type { Eventually } from '../time/eventually.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import { entryOf } from '../world/traffic/journal-entry.ts'
import type { World } from '../world/world.ts'
import { bareKey, checkOperation } from './key-and-operation.ts'
import type { OperationContext } from './operation.ts'
import { noSuch } from './reply.ts'

/** The exchanges that a call selects, newest last; a promise if it searches for a text. */
export function journaled(context: OperationContext<'listRequests'>): Eventually<readonly Exchange[]> {
  const { query, deps } = context
  const { operationId, status, key, before, q, limit = Infinity } = query
  checkOperation(operationId, 'operationId', deps)
  const found = (query.namespace === '*' ? deps.worlds.all() : [context.world()]).map((world) => {
    const wanted = key && bareKey(key, world)
    return earlier(world, before).filter(
      (exchange) =>
        (operationId === undefined || exchange.operationId === operationId) &&
        (status === undefined || exchange.status === status) &&
        (wanted === undefined || exchange.key === wanted),
    )
  })
  const [only = [], ...more] = found
  const all = more.length === 0 ? only : found.flat().sort((a, b) => a.receivedAt - b.receivedAt)
  return q === undefined
    ? all.slice(-limit)
    : deps.slices.run(holding(all, q)).then((holders) => holders.slice(-limit))
}

/** The exchanges before a request: in each namespace those before its own request with that id. */
function earlier({ journal, name }: World, before: string | undefined): readonly Exchange[] {
  const entries = journal.entries()
  if (before === undefined) return entries
  const at = entries.findLastIndex(({ id }) => id === before)
  if (at < 0) throw noSuch('request', before, ` in the journal of ${name}`)
  return entries.slice(0, at)
}

/** The text is searched in the masked entry, so that a search cannot reveal a key. */
function* holding(exchanges: readonly Exchange[], text: string): Generator<undefined, readonly Exchange[]> {
  const wanted = text.toLowerCase()
  const found: Exchange[] = []
  for (const exchange of exchanges) {
    const { method, path, query, warnings, request, response } = entryOf(exchange)
    const headers = [request, response].flatMap((each) =>
      Object.entries(each.headers).map((pair) => pair.join(': ')),
    )
    const all = [exchange.id, method, path, query, ...warnings, ...headers, request.body, response.body]
    if (all.join('\n').toLowerCase().includes(wanted)) found.push(exchange)
    yield
  }
  return found
}
