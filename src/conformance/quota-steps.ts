import { UNLIMITED } from '../domain/limits/plan.ts'
import { DAY, SECOND } from '../domain/world/instant.ts'
import { identityOf } from './service-request.ts'
import { type LimitFields, limitFields, type ServiceResponse, timestampText } from './service-response.ts'

export interface QuotaReading {
  readonly failures: readonly Contradiction[]
  /** Statuses of refused requests that were seen to use quota, and not to: the interface leaves it open. */
  readonly counted: readonly number[]
  readonly uncounted: readonly number[]
}

export interface Contradiction {
  readonly answer: ServiceResponse
  readonly came: string
  readonly expected: string
}

/** Two answers to one key, and what lies between them. */
interface Step {
  readonly before: LimitFields
  readonly now: LimitFields
  /** The times of both answers, in milliseconds, by the service's clock. */
  readonly from: number
  readonly to: number
  readonly status: number
  /** Requests between the two of which it is not known whether they count. */
  readonly between: number
}

/** What the rounding of two clocks may move, in seconds. */
const ROUNDING = 2

/** The windows of the interface last a minute or a day, so none ends later than tomorrow. */
const LONGEST_WINDOW = 2 * DAY

/** How a Reset lies to the time of its answer. */
export function placeOfReset(reset: number, at: number): 'past' | 'ahead' | 'too far' {
  const left = reset * SECOND - at
  if (left < -ROUNDING * SECOND) return 'past'
  return left > LONGEST_WINDOW ? 'too far' : 'ahead'
}

/** Whether the limit headers of the answers to the given key agree with each other. */
export function validateQuotaSteps(history: readonly ServiceResponse[]): QuotaReading {
  const failures: Contradiction[] = []
  const counted = new Set<number>()
  const uncounted = new Set<number>()
  for (const [answer, step] of stepsOf(history)) {
    const drop = step.before.remaining - step.now.remaining
    if (answer.status >= 400 && isSameWindow(step) && step.between === 0) {
      if (drop === 1) counted.add(answer.status)
      if (drop === 0 && answer.status !== 429) uncounted.add(answer.status)
    }
    const expected = contradiction(step)
    if (expected) failures.push({ answer, came: told(step), expected })
  }
  return { failures, counted: [...counted].sort(), uncounted: [...uncounted].sort() }
}

function* stepsOf(history: readonly ServiceResponse[]): Generator<readonly [ServiceResponse, Step]> {
  let previous: { readonly fields: LimitFields; readonly at: number } | undefined
  let between = 0
  for (const answer of history) {
    const fields = identityOf(answer.ask) === 'owner' ? limitFields(answer) : undefined
    if (!fields) {
      between += 1
      continue
    }
    const { at, status } = answer
    if (previous && fields.limit !== UNLIMITED) {
      yield [answer, { before: previous.fields, now: fields, from: previous.at, to: at, status, between }]
    }
    previous = { fields, at }
    between = 0
  }
}

/** What the interface says where the two do not agree; undefined where they do. */
function contradiction(step: Step): string | undefined {
  const { before, now, from, to } = step
  // Another window is the closest one now, and tells of itself; or the clock was turned back.
  if (now.limit !== before.limit || to < from) return undefined
  const isServed = step.status < 400
  const drop = before.remaining - now.remaining
  const isOneLess = drop >= (isServed ? 1 : 0) && drop <= 1 + step.between
  if (isOneLess) return undefined
  if (isSameWindow(step) && !(drop < 0 && isOver(step))) {
    if (!isServed) return 'Remaining the same or one less'
    if (before.remaining === 0) return '429 until a new window opens: nothing was left'
    const perhaps = drop > 1 ? ' (or somebody else uses this key)' : ''
    return `Remaining ${before.remaining - 1}: one request less is left${perhaps}`
  }
  if (isOver(step)) return isServed && now.remaining >= now.limit ? 'one less than Limit' : undefined
  return 'the same Reset, and one request less, until Reset has come'
}

const isSameWindow = ({ before, now }: Step): boolean => Math.abs(now.reset - before.reset) < ROUNDING

/** Whether the window of the first answer had ended when the second came; its Reset may tell nothing. */
const isOver = ({ before, from, to }: Step): boolean =>
  placeOfReset(before.reset, from) !== 'ahead' || to / SECOND >= before.reset - ROUNDING

function told({ before, now }: Step): string {
  const counts = `Remaining ${now.remaining} of ${now.limit} after ${before.remaining} of ${before.limit}`
  if (now.reset === before.reset) return counts
  return `${counts}, and Reset ${timestampText(now.reset)} after ${timestampText(before.reset)}`
}
