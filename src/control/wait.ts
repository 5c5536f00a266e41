import type { JournalEntry, NotReceived } from '../contract/generated/control.types.d.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import type { World } from '../world/world.ts'
import { entryText } from './entry-text.ts'
import { Matcher, matchInWords, requestMatch } from './match.ts'
import type { OperationContext, ReplyOf } from './operation.ts'
import { noSuch, writtenReply } from './reply.ts'
import { readWithin, refusal, watchRequests } from './watch.ts'

const UNLESS_GIVEN = '5s'

/** Answers with the first matching request, as soon as there is one. */
export async function waitForRequest(
  context: OperationContext<'waitForRequest'>,
): Promise<ReplyOf<'waitForRequest'>> {
  const { within = UNLESS_GIVEN, after } = context.body
  const { slices } = context.deps
  const world = context.world()
  const matcher = new Matcher(requestMatch(context.body.match, world, context.deps))
  let found: Exchange | undefined
  const look = (exchange: Exchange): boolean => {
    if (!found && isMatch(exchange, matcher)) found = exchange
    return found !== undefined
  }
  const watch = watchRequests(context, world.name, readWithin(within), look, () => {})
  try {
    const first = await slices.run(findFirst(behind(world, after), matcher))
    if (!first) await watch.over
    found = first ?? found
  } finally {
    watch.stop()
  }
  // In slices: thousands of calls may wait for the same request or instant.
  return slices.run(answerSteps(context, matcher, found))
}

function* answerSteps(
  context: OperationContext<'waitForRequest'>,
  matcher: Matcher,
  found: Exchange | undefined,
): Generator<undefined, ReplyOf<'waitForRequest'>> {
  const { journal, keys } = context.world()
  const namesIn = () => keys.names
  if (found) return writtenReply<200, JournalEntry>(200, entryText(found, namesIn))
  const { within = UNLESS_GIVEN, after } = context.body
  const wanted = keys.secrets.mask(matchInWords(matcher.match))
  const since = after === undefined ? '' : ` after ${after}`
  const message = `No request ${wanted} was received within ${within}${since}.`
  const members = { code: 'not_received', message, status: 409 } as const
  return yield* refusal<NotReceived>(members, journal.entries(), matcher, namesIn)
}

/** The journal entries after a request; all entries if the journal has dropped that request. */
function behind({ journal, name }: World, after: string | undefined): readonly Exchange[] {
  const entries = journal.entries()
  if (after === undefined) return entries
  const at = entries.findLastIndex(({ id }) => id === after)
  if (at < 0 && journal.dropped === 0) throw noSuch('request', after, ` in the journal of ${name}`)
  return entries.slice(at + 1)
}

function* findFirst(exchanges: readonly Exchange[], matcher: Matcher) {
  for (const exchange of exchanges) {
    if (isMatch(exchange, matcher)) return exchange
    yield
  }
  return undefined
}

const isMatch = (exchange: Exchange, matcher: Matcher): boolean => matcher.outcomeOf(exchange) === 'match'
