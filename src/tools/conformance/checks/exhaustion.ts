import { plural } from '../../../text/plural.ts'
import { SECOND } from '../../../time/instant.ts'
import { UNLIMITED } from '../../../world/plan.ts'
import { type Check, type CheckContext, check } from '../check.ts'
import { LONGEST_WAIT } from '../client.ts'
import { fieldText, limitFields, retryAfter, type ServiceResponse, timestampText } from '../exchange.ts'
import { UNKNOWN_ID } from '../values.ts'

const probe = ({ list }: CheckContext) => ({ send: list.limited(list.least) })

/** The limit of requests, for any plan. */
const MAX_REQUESTS = 20_000

const EXACT = 'as many requests as Remaining says pass, and the next is 429'

/** Section 8: what happens when the quota is used up. */
export const EXHAUSTION: readonly Check[] = [
  check('exhaust-limit', '7, 8', EXACT, async (context) => {
    const { last, refusal, limit } = await exhausted(context)
    const left = limitFields(last)
    if (!refusal) return context.expect(false, last, `429 beyond ${limit} requests`)
    if (last === refusal) return context.skip('the quota was used up already')
    if (!left || limitFields(refusal)?.limit !== left.limit)
      return context.skip('the 429 does not carry the X-RateLimit-Limit of the requests before it')
    context.expect(left.remaining === 0, refusal, `${plural(left.remaining, 'more request')} to pass`)
  }),
  check('exhaust-remaining', '8', 'a 429 says that nothing remains', async (context) => {
    const answer = await refusalOf(context)
    const fields = limitFields(answer)
    if (!fields) return context.skip('the 429 carries no readable limit headers')
    const received = fieldText(answer, 'X-RateLimit-Remaining')
    context.expect(fields.remaining === 0, answer, 'X-RateLimit-Remaining: 0', received)
  }),
  check('exhaust-others', '7, 8', 'beyond the limit, getPet is 429 too', async (context) => {
    const refusal = await refusalOf(context)
    const answer = await context.sendUnpaced({ send: `GET /pets/${UNKNOWN_ID}` })
    // The times are rounded to seconds, and a limit may refill in short steps.
    if (!isRefused(answer) && answer.at > refusal.at + (retryAfter(refusal) ?? 0) - 2 * SECOND)
      context.skip('Retry-After is too short to show it')
    context.expect(isRefused(answer), answer, '429 on any operation, until Retry-After has passed')
  }),
  check('exhaust-recovers', '8', 'when Retry-After has passed, the next request passes', async (context) => {
    const refusal = await refusalOf(context)
    const pause = retryAfter(refusal)
    if (pause === undefined) return context.skip(`the ${refusal.status} does not say how long to wait`)
    const end = timestampText((refusal.at + pause) / SECOND)
    if (pause > LONGEST_WAIT)
      return context.skip(`Retry-After is ${pause / SECOND} s, until ${end}: too long to wait`)
    await context.wait(pause, 'to see that the next request passes')
    const answer = await context.sendUnpaced(probe(context))
    context.expect(!isRefused(answer), answer, `accepted after ${pause / SECOND} s`)
  }),
]

/** The interface does not say with which status a banned key is refused. */
const isRefused = ({ status }: ServiceResponse): boolean => status === 429 || status === 403

const exhausted = (context: CheckContext) => context.remember('exhaustion', () => exhaust(context))

/** The last refusal since the quota was used up: a further one may have begun a ban. */
async function refusalOf(context: CheckContext): Promise<ServiceResponse> {
  const { refusal } = await exhausted(context)
  const last = refusal && context.history.findLast(isRefused)
  return last ?? context.skip('there was no 429')
}

/**
 * Uses up the quota. `last`: the last accepted response, or the refusal if there was none; `refusal`: undefined if the
 * response to a request beyond `limit` was no 429, and is then `last`.
 */
async function exhaust(context: CheckContext) {
  let last: ServiceResponse | undefined
  let windows = 0
  let passed = 0
  for (;;) {
    const answer = await context.sendUnpaced(probe(context))
    if (answer.status === 429) return { last: last ?? answer, refusal: answer }
    const fields = limitFields(answer)
    const before = last && limitFields(last)
    if (answer.status !== 200) {
      if (before?.remaining === 0) return { last: answer, limit: before.limit }
      return context.skip(`${answer.request} answers ${answer.status}`)
    }
    if (!fields) return context.skip(`${answer.request} carries no readable limit headers`)
    if (fields.limit === UNLIMITED) context.skip('this key has no limit')
    if (fields.remaining > MAX_REQUESTS) context.skip(`it would take ${fields.remaining} requests`)
    const isNew = !before || before.limit !== fields.limit || Math.abs(fields.reset - before.reset) > 1
    windows += isNew ? 1 : 0
    passed = isNew ? 1 : passed + 1
    if (windows > MAX_WINDOWS) context.skip('new windows open before one is used up')
    if (passed > fields.limit || (!isNew && before.remaining === 0))
      return { last: answer, limit: fields.limit }
    last = answer
  }
}

/** The number of windows to which a request can be charged: minute, day, and one that opens meanwhile. */
const MAX_WINDOWS = 3
