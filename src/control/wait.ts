import type {
  JournalEntry,
  NotReceived,
  RequestWait,
  Times,
  VerificationFailure,
} from '../contract/generated/control.types.d.ts'
import { inThousands } from '../text/in-thousands.ts'
import { plural } from '../text/plural.ts'
import { parseDuration } from '../time/duration.ts'
import { MINUTE } from '../time/instant.ts'
import { ApiError } from '../world/api-error.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import type { World } from '../world/world.ts'
import type { ControlContext } from './context.ts'
import { entryText, type NamesIn } from './entry-text.ts'
import { Matcher, matchInWords, requestMatch } from './match.ts'
import type { OperationContext, ReplyOf, SomeHandlers } from './operation.ts'
import { type JsonReply, jsonReply, noSuch, writtenReply } from './reply.ts'

/** The largest number of calls that wait at once. Each keeps its match. */
const MAX_WAITING = 1000
const TOO_MANY_WAITING = `There are ${inThousands(MAX_WAITING)} calls that wait for requests, which is the limit. End one of them, or let them wait for less time.`

export const waiting = {
  /** Answers with the first matching request, as soon as there is one. */
  waitForRequest: {
    async observe(context) {
      const { match, within = '5s' } = context.body
      const world = context.world()
      const matcher = new Matcher(requestMatch(match, world, context.deps))
      const isMatch = (exchange: Exchange): boolean => matcher.outcomeOf(exchange) === 'match'
      let first: Exchange | undefined
      let later: Exchange | undefined
      const milliseconds = readWithin(within)
      const search = function* (entries: readonly Exchange[]) {
        for (const exchange of entries) {
          if (isMatch(exchange)) {
            first = exchange
            return true
          }
          yield
        }
        return false
      }
      const begin = () => search(entriesAfter(world, context.body))
      await watchRequests(context, world.name, milliseconds, begin, (exchange) => {
        if (!later && isMatch(exchange)) later = exchange
        return later !== undefined
      })
      // In slices: thousands of calls may wait for the same request or instant.
      return context.deps.slices.run(receivedSteps(context, matcher, within, first ?? later))
    },
  },
  /** 200 if the number of matching requests is as expected; 409 if it is not, or if entries are gone. */
  verifyRequests: {
    async observe(context) {
      const { times = { atLeast: 1 } } = context.body
      checkTimes(times)
      const world = context.world()
      const matcher = new Matcher(requestMatch(context.body.match, world, context.deps))
      const count = await countRequests(context, world, matcher, times)
      return context.deps.slices.run(verifiedSteps(context, matcher, times, count))
    },
  },
} satisfies SomeHandlers

function* receivedSteps(
  context: OperationContext<'waitForRequest'>,
  matcher: Matcher,
  within: string,
  found: Exchange | undefined,
): Generator<undefined, ReplyOf<'waitForRequest'>> {
  const { journal, keys } = context.world()
  const namesIn = () => keys.names
  if (found) return writtenReply<200, JournalEntry>(200, entryText(found, namesIn))
  const { after } = context.body
  const wanted = keys.secrets.mask(matchInWords(matcher.match))
  const since = after === undefined ? '' : ` after ${after}`
  const message = `No request ${wanted} was received within ${within}${since}.`
  const members = { code: 'not_received', message, status: 409 } as const
  return yield* refusal<NotReceived>(members, journal.entries(), matcher, namesIn)
}

/** The journal entries after a request; all entries if the journal has dropped that request. */
function entriesAfter({ journal, name }: World, { after, received }: RequestWait): readonly Exchange[] {
  const entries = journal.entries()
  if (after === undefined) return entries
  const at = entries.findLastIndex(({ id }) => id === after)
  const instant = received === undefined ? undefined : Date.parse(received)
  // After a rewind, or in a namespace that was dropped, ids are given again.
  if (instant !== undefined && entries[at]?.receivedAt !== instant)
    return entries.filter(({ receivedAt }) => receivedAt >= instant)
  if (at < 0 && journal.dropped === 0) throw noSuch('request', after, ` in the journal of ${name}`)
  return entries.slice(at + 1)
}

/** Reads how long a call waits, in milliseconds of real time. Throws an ApiError. */
function readWithin(text: string): number {
  const milliseconds = parseDuration(text)
  if (milliseconds <= MINUTE) return milliseconds
  throw new ApiError('invalid_body', `within: "${text}" is too long; use 60s or less`)
}

/**
 * Searches the journal of a namespace in steps, which `search` begins; meanwhile and afterwards, `look` receives each later
 * exchange. After the search nothing keeps its entries: the journal may drop them while the call waits.
 * Resolves when the search has ended and one of the two has returned true, the time is over, or the client has
 * disconnected. Rejects with an ApiError when the sandbox is closed, or if too many calls wait. Without `within` (in
 * milliseconds), only the journal is searched. `restart` is called when the journal was cleared or rewound; it returns
 * true as `look` does.
 */
async function watchRequests(
  { request, deps, recorded, changes, waiting }: ControlContext,
  namespace: string,
  within: number | undefined,
  search: () => Iterator<unknown, boolean>,
  look: (exchange: Exchange) => boolean,
  restart = () => false,
): Promise<void> {
  if (within === undefined) return void (await deps.slices.run(search()))
  if (waiting.size >= MAX_WAITING) throw new ApiError('service_unavailable', TOO_MANY_WAITING)
  let finish = () => {}
  const over = new Promise<void>((resolve) => {
    finish = resolve
  })
  waiting.add(finish)
  if (deps.shutdown.aborted) finish()
  const stops = [
    recorded.subscribe(namespace, (exchange) => {
      if (look(exchange)) finish()
    }),
    changes.subscribe(namespace, ({ changed }) => {
      if (changed.includes('requests') && restart()) finish()
    }),
    request.onGone?.(finish),
    deps.timer(within, finish),
    () => waiting.delete(finish),
  ]
  try {
    if (!(await deps.slices.run(search()))) await over
  } finally {
    for (const stop of stops) stop?.()
  }
  if (deps.shutdown.aborted)
    throw new ApiError('service_unavailable', 'The sandbox was closed while the call waited.')
}

/** Refuses an expectation that no count can meet. */
function checkTimes({ exactly, atLeast = 0, atMost = Infinity }: Times): void {
  const least = exactly ?? atLeast
  if (least < atLeast || least > atMost)
    throw new ApiError(
      'invalid_body',
      'times cannot be met: give exactly alone, or an atLeast that is not above atMost',
    )
}

function* verifiedSteps(
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
  const past: Count = { matched: 0, gone: world.journal.dropped, cut: 0 }
  let count = past
  // In steps, because the bodies of a full journal take long to parse.
  const search = function* (entries: readonly Exchange[]) {
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
  const begin = () => search(world.journal.entries())
  await watchRequests(context, world.name, milliseconds, begin, look, () => {
    const { journal } = context.world()
    count = { matched: 0, gone: journal.dropped, cut: 0 }
    for (const exchange of journal.entries()) add(count, exchange, matcher)
    return isSettled(times, count)
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
  const older = plural(gone, 'older entry of the journal is gone', 'older entries of the journal are gone')
  const bodies = plural(cut, 'body was cut at 16 KiB', 'bodies were cut at 16 KiB')
  const reasons = [gone > 0 && older, cut > 0 && bodies].filter(Boolean).join(' and ')
  return `The number is not certain: ${reasons}. ${gone > 0 ? 'Reset the part requests before the requests that you verify' : 'Leave body out of the match'}.`
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

const NEAREST = 3

/** Exchanges compared per step. */
const STEP = 4

/** A refusal with the exchanges that match best: the best first, of equal ones the newest first. */
export function* refusal<Value extends NotReceived | VerificationFailure>(
  members: Omit<Value, 'nearest'>,
  exchanges: readonly Exchange[],
  matcher: Matcher,
  namesIn: NamesIn,
): Generator<undefined, JsonReply<409, Value>> {
  const nearest: { readonly exchange: Exchange; readonly agreed: number }[] = []
  for (const [i, exchange] of exchanges.toReversed().entries()) {
    const agreed = matcher.agreement(exchange)
    const place = nearest.findIndex((other) => other.agreed < agreed)
    if (place >= 0) nearest.splice(place, 0, { exchange, agreed })
    else if (nearest.length < NEAREST) nearest.push({ exchange, agreed })
    if (nearest.length > NEAREST) nearest.pop()
    if (i % STEP === 0) yield
  }
  const texts = nearest.map(({ exchange }) => entryText(exchange, namesIn))
  return writtenReply(409, `${JSON.stringify(members).slice(0, -1)},"nearest":[${texts.join(',')}]}`)
}
