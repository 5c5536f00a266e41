import type { RequestMatch } from '../contract/generated/control.types.d.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import { entryOf } from '../world/traffic/journal-entry.ts'
import type { World } from '../world/world.ts'
import { matchInWords } from './expectation.ts'
import { outcomeOf, requestMatch } from './match.ts'
import { nearest } from './nearest.ts'
import type { OperationContext, ReplyOf } from './operation.ts'
import { jsonReply, notFound } from './reply.ts'
import { readWithin, watchRequests } from './watch.ts'

const UNLESS_GIVEN = '5s'

/** Answers with the first request that matches, as soon as there is one. */
export async function waitForRequest(
  context: OperationContext<'waitForRequest'>,
): Promise<ReplyOf<'waitForRequest'>> {
  const { within = UNLESS_GIVEN, after } = context.body
  const world = context.world()
  const match = requestMatch(context.body.match, world, context.deps)
  const past = behind(world, after)
  let found: Exchange | undefined
  const look = (exchange: Exchange): boolean => {
    if (!found && isMatch(exchange, match)) found = exchange
    return found !== undefined
  }
  const watch = watchRequests(context, world.name, readWithin(within), look, () => {})
  try {
    const first = await context.deps.slices.run(findFirst(past, match))
    if (!first) await watch.over
    found = first ?? found
  } finally {
    watch.stop()
  }
  if (found) return jsonReply(200, entryOf(found))
  const wanted = world.keys.secrets.maskBody(matchInWords(match))
  const since = after === undefined ? '' : ` after ${after}`
  const message = `No request ${wanted} was received within ${within}${since}.`
  const { journal } = context.world()
  return jsonReply(409, {
    code: 'not_received',
    message,
    status: 409,
    nearest: await nearest(context, journal.entries(), match),
  })
}

/** The entries of the journal after a request; all of them where the journal has dropped that request. */
function behind({ journal, name }: World, after: string | undefined): readonly Exchange[] {
  const entries = journal.entries()
  if (after === undefined) return entries
  const at = entries.findLastIndex(({ id }) => id === after)
  if (at < 0 && journal.dropped === 0) {
    throw notFound(
      `There is no request ${after} in the journal of ${name}; leave out "after" to begin with its first.`,
    )
  }
  return entries.slice(at + 1)
}

function* findFirst(exchanges: readonly Exchange[], match: RequestMatch) {
  for (const exchange of exchanges) {
    if (isMatch(exchange, match)) return exchange
    yield
  }
  return undefined
}

const isMatch = (exchange: Exchange, match: RequestMatch): boolean => outcomeOf(exchange, match) === 'match'
