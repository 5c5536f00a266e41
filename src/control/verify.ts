import type { Times, VerificationFailure } from '../contract/generated/control.types.d.ts'
import { ApiError } from '../world/api-error.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import type { World } from '../world/world.ts'
import { Matcher, matchInWords, requestMatch } from './match.ts'
import type { OperationContext, ReplyOf, SomeHandlers } from './operation.ts'
import { jsonReply } from './reply.ts'
import { readWithin, refusal, watchRequests } from './wait.ts'

export const verifying = {
  /** 200 if the number of matching requests is as expected; 409 if it is not, or if entries are gone. */
  verifyRequests: {
    async observe(context) {
      const { times = { atLeast: 1 } } = context.body
      checkTimes(times)
      const world = context.world()
      const matcher = new Matcher(requestMatch(context.body.match, world, context.deps))
      const count = await countRequests(context, world, matcher, times)
      return context.deps.slices.run(answerSteps(context, matcher, times, count))
    },
  },
} satisfies SomeHandlers

/** Refuses an expectation that no count can meet. */
function checkTimes({ exactly, atLeast = 0, atMost = Infinity }: Times): void {
  const least = exactly ?? atLeast
  if (least < atLeast || least > atMost)
    throw new ApiError(
      'invalid_body',
      'times cannot be met: give exactly alone, or an atLeast that is not above atMost',
    )
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

/** The number of matching requests. Dropped and cut ones may have matched too. */
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
  const entries = world.journal.entries()
  const past: Count = { matched: 0, gone: world.journal.dropped, cut: 0 }
  let count = past
  // In steps, because the bodies of a full journal take long to parse.
  const search = function* () {
    for (const exchange of entries) {
      add(past, exchange, matcher)
      yield
    }
    return isSettled(times, count)
  }
  const look = (exchange: Exchange): boolean => {
    add(count, exchange, matcher)
    return isSettled(times, count)
  }
  const milliseconds = within === undefined ? undefined : readWithin(within)
  // A rewind keeps what came before its point.
  await watchRequests(context, world.name, milliseconds, search(), look, () => {
    const { journal } = context.world()
    count = { matched: 0, gone: journal.dropped, cut: 0 }
    for (const exchange of journal.entries()) add(count, exchange, matcher)
  })
  return count
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
  return `The number is not certain: ${reasons.join(' and ')}. Reset the part requests before the requests that you verify.`
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
