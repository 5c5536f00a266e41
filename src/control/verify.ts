import type { Times, VerificationFailure } from '../contract/generated/control.types.d.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import type { World } from '../world/world.ts'
import { Matcher, matchInWords, requestMatch } from './match.ts'
import type { OperationContext, ReplyOf } from './operation.ts'
import { jsonReply } from './reply.ts'
import { readWithin, refusal, watchRequests } from './watch.ts'

/** 200 if the number of matching requests is as expected; 409 if it is not, or if entries are gone. */
export async function verifyRequests(
  context: OperationContext<'verifyRequests'>,
): Promise<ReplyOf<'verifyRequests'>> {
  const { times = { atLeast: 1 } } = context.body
  const world = context.world()
  const matcher = new Matcher(requestMatch(context.body.match, world, context.deps))
  const count = await countRequests(context, world, matcher, times)
  return context.deps.slices.run(answerSteps(context, matcher, times, count))
}

function* answerSteps(
  context: OperationContext<'verifyRequests'>,
  matcher: Matcher,
  times: Times,
  { matched, gone, cut }: Count,
): Generator<undefined, ReplyOf<'verifyRequests'>> {
  const result = resultOf(times, matched, matched + gone + cut)
  if (result === 'holds') return jsonReply(200, { matched })
  const { journal, keys } = context.world()
  const wanted = keys.secrets.mask(matchInWords(matcher.match))
  const found = `Expected ${timesInWords(times)} ${wanted}; found ${matched}.`
  const message = result === 'fails' ? found : `${found} ${unsure(gone, cut)}`
  const members = {
    code: 'verification_failed',
    message,
    status: 409,
    expected: times,
    actual: matched,
    ...(result === 'unsure' && { uncertain: true as const }),
  } as const
  return yield* refusal<VerificationFailure>(members, journal.entries(), matcher, () => keys.names)
}

/** How many requests match. Dropped and cut ones may have matched too. */
interface Count {
  matched: number
  gone: number
  cut: number
}

/** Counts in the journal. If the call waits, also later requests, until none can change the result. */
async function countRequests(
  context: OperationContext<'verifyRequests'>,
  world: World,
  matcher: Matcher,
  times: Times,
): Promise<Count> {
  const { within } = context.body
  const past: Count = { matched: 0, gone: world.journal.dropped, cut: 0 }
  let count = past
  const look = (exchange: Exchange): boolean => {
    add(count, exchange, matcher)
    return isSettled(times, count)
  }
  const restart = () => {
    count = { matched: 0, gone: 0, cut: 0 }
  }
  const entries = world.journal.entries()
  const watch =
    within === undefined ? undefined : watchRequests(context, world.name, readWithin(within), look, restart)
  try {
    await context.deps.slices.run(addAll(past, entries, matcher))
    if (watch && !isSettled(times, count)) await watch.over
  } finally {
    watch?.stop()
  }
  return count
}

/** In steps, because the bodies of a full journal take long to parse. */
function* addAll(count: Count, exchanges: readonly Exchange[], matcher: Matcher) {
  for (const exchange of exchanges) {
    add(count, exchange, matcher)
    yield
  }
}

function add(count: Count, exchange: Exchange, matcher: Matcher): void {
  const outcome = matcher.outcomeOf(exchange)
  if (outcome === 'match') count.matched++
  if (outcome === 'unknown') count.cut++
}

/** Whether no later request can change the result. */
const isSettled = ({ exactly, atLeast = 0, atMost }: Times, { matched }: Count): boolean => {
  const high = exactly ?? atMost
  return high === undefined ? matched >= atLeast : matched > high
}

/** Whether the expectation holds for every count from `least` to `most`, for none of them, or for some. */
function resultOf(times: Times, least: number, most: number): 'holds' | 'fails' | 'unsure' {
  const low = times.exactly ?? times.atLeast ?? 0
  const high = times.exactly ?? times.atMost ?? Infinity
  if (least >= low && most <= high) return 'holds'
  return least > high || most < low ? 'fails' : 'unsure'
}

function unsure(gone: number, cut: number): string {
  const reasons = [
    ...(gone > 0 ? [`${gone} older entries of the journal are gone`] : []),
    ...(cut > 0 ? [`${cut} bodies were cut at 16 KiB`] : []),
  ]
  return `The number is not certain: ${reasons.join(' and ')}. Reset the part requests before what is to be verified.`
}

/** `exactly 1 request`, `at least 1 and at most 3 requests`. */
export function timesInWords({ exactly, atLeast, atMost }: Times): string {
  const bounds = [
    ...(exactly === undefined ? [] : [`exactly ${exactly}`]),
    ...(atLeast === undefined ? [] : [`at least ${atLeast}`]),
    ...(atMost === undefined ? [] : [`at most ${atMost}`]),
  ]
  return `${bounds.join(' and ')} ${(exactly ?? atMost ?? atLeast) === 1 ? 'request' : 'requests'}`
}
