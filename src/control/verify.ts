import type { RequestMatch, Times } from '../contract/generated/control.types.d.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import type { World } from '../world/world.ts'
import { matchInWords, timesInWords } from './expectation.ts'
import { outcomeOf, requestMatch } from './match.ts'
import { nearest } from './nearest.ts'
import type { OperationContext, ReplyOf } from './operation.ts'
import { jsonReply } from './reply.ts'
import { readWithin, watchRequests } from './watch.ts'

/** 200 where the number of matching requests is as expected; 409 where it is not, or is not known any more. */
export async function verifyRequests(
  context: OperationContext<'verifyRequests'>,
): Promise<ReplyOf<'verifyRequests'>> {
  const { times = { atLeast: 1 } } = context.body
  const world = context.world()
  const match = requestMatch(context.body.match, world, context.deps)
  const { matched, gone, cut } = await countRequests(context, world, match, times)
  const result = resultOf(times, matched, matched + gone + cut)
  if (result === 'holds') return jsonReply(200, { matched })
  const found = `Expected ${timesInWords(times)} ${world.keys.secrets.maskBody(matchInWords(match))}; found ${matched}.`
  const message = result === 'fails' ? found : `${found} ${unsure(gone, cut)}`
  return jsonReply(409, {
    code: 'verification_failed',
    message,
    status: 409,
    expected: times,
    actual: matched,
    nearest: await nearest(context, context.world().journal.entries(), match),
  })
}

/** How many requests match. Those that are gone or cut may have matched. */
interface Count {
  matched: number
  gone: number
  cut: number
}

/** Counts what the journal holds and, where the call waits, what comes until more cannot change the answer. */
async function countRequests(
  context: OperationContext<'verifyRequests'>,
  world: World,
  match: RequestMatch,
  times: Times,
): Promise<Count> {
  const { within } = context.body
  const past: Count = { matched: 0, gone: world.journal.dropped, cut: 0 }
  let count = past
  const look = (exchange: Exchange): boolean => {
    add(count, exchange, match)
    return isSettled(times, count)
  }
  const restart = () => {
    count = { matched: 0, gone: 0, cut: 0 }
  }
  const entries = world.journal.entries()
  const watch =
    within === undefined ? undefined : watchRequests(context, world.name, readWithin(within), look, restart)
  try {
    await context.deps.slices.run(addAll(past, entries, match))
    if (watch && !isSettled(times, count)) await watch.over
  } finally {
    watch?.stop()
  }
  return count
}

/** Each body is parsed for it, so a full journal takes long. */
function* addAll(count: Count, exchanges: readonly Exchange[], match: RequestMatch) {
  for (const exchange of exchanges) {
    add(count, exchange, match)
    yield
  }
}

function add(count: Count, exchange: Exchange, match: RequestMatch): void {
  const outcome = outcomeOf(exchange, match)
  if (outcome === 'match') count.matched++
  if (outcome === 'unknown') count.cut++
}

/** Whether no request that is still to come can change the answer. */
const isSettled = ({ exactly, atLeast = 0, atMost }: Times, { matched }: Count): boolean => {
  const high = exactly ?? atMost
  return high === undefined ? matched >= atLeast : matched > high
}

/** Whether the expectation holds for every count from `least` to `most`, for none, or for some. */
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
