import { DAY, SECOND } from '../../time/instant.ts'
import { UNLIMITED } from '../../world/plan.ts'
import { identityOf, type LimitFields, limitFields, type ServiceResponse, timestampText } from './exchange.ts'

/** A response, and the one before it to the same key. */
interface Step {
  readonly answer: ServiceResponse
  readonly now: LimitFields
  readonly before: LimitFields
  /** The time of the response before it, by the clock of the service, in milliseconds. */
  readonly from: number
  /** Requests between the two that possibly used quota. */
  readonly between: number
}

/** Tolerance for the rounding of two clocks, in seconds. */
const ROUNDING = 2

/** The windows of the interface last a minute or a day, so none ends later than tomorrow. */
const LONGEST_WINDOW = 2 * DAY

/** Whether the Reset of a response is in the past, ahead, or too far ahead. `at`: its time, in milliseconds. */
export function placeOfReset(reset: number, at: number): 'past' | 'ahead' | 'too far' {
  const left = reset * SECOND - at
  if (left < -ROUNDING * SECOND) return 'past'
  return left > LONGEST_WINDOW ? 'too far' : 'ahead'
}

/**
 * Whether the limit headers of the responses to the given key are consistent. `counted` and `uncounted`: the error
 * statuses that used quota, and those that did not. The interface leaves this open.
 */
export function validateQuotaSteps(history: readonly ServiceResponse[]) {
  const steps = [...stepsOf(history)]
  const failures = movedResets(steps)
  const counted = new Set<number>()
  const uncounted = new Set<number>()
  for (const step of steps) {
    const { answer } = step
    const drop = step.before.remaining - step.now.remaining
    if (answer.status >= 400 && isSameWindow(step) && step.between === 0) {
      if (drop === 1) counted.add(answer.status)
      if (drop === 0 && answer.status !== 429) uncounted.add(answer.status)
    }
    const expected = contradiction(step)
    if (expected) failures.push({ answer, received: stepText(step), expected })
  }
  return { failures, counted: [...counted].sort(), uncounted: [...uncounted].sort() }
}

/**
 * The responses whose Reset has moved on with the clock while the requests of one window were counted: it is never
 * reached. A Reset that moves further belongs to another window.
 */
function movedResets(steps: readonly Step[]) {
  const failures = []
  let first: { readonly reset: number; readonly at: number } | undefined
  for (const { answer, before, now, from } of steps) {
    first ??= { reset: before.reset, at: from }
    const moved = now.reset - first.reset
    const passed = (answer.at - first.at) / SECOND
    const isCounted = now.limit === before.limit && now.remaining <= before.remaining
    const isOver = answer.at / SECOND >= first.reset - ROUNDING
    if (moved <= ROUNDING && moved >= -ROUNDING && isCounted && !isOver) continue
    if (isCounted && !isOver && moved > 0 && moved <= passed + ROUNDING) {
      const received = `Reset ${timestampText(now.reset)} after ${timestampText(first.reset)}, and no new window`
      failures.push({ answer, received, expected: 'the same Reset until a new window opens' })
    }
    first = { reset: now.reset, at: answer.at }
  }
  return failures
}

function* stepsOf(history: readonly ServiceResponse[]): Generator<Step> {
  let previous: { readonly fields: LimitFields; readonly at: number } | undefined
  let between = 0
  for (const answer of history) {
    between += answer.unanswered ?? 0
    const fields = identityOf(answer.sent) === 'owner' ? limitFields(answer) : undefined
    if (!fields) {
      between += 1
      continue
    }
    if (previous && fields.limit !== UNLIMITED)
      yield { answer, now: fields, before: previous.fields, from: previous.at, between }
    previous = { fields, at: answer.at }
    between = 0
  }
}

/** The requirement that the two responses contradict; undefined if they do not. */
function contradiction(step: Step): string | undefined {
  const { answer, before, now, from } = step
  // The headers now describe the other window, or the clock was set back.
  if (now.limit !== before.limit || answer.at < from) return undefined
  const isServed = answer.status < 400
  const drop = before.remaining - now.remaining
  const isOneLess = drop >= (isServed ? 1 : 0) && drop <= 1 + step.between
  if (isOneLess) return undefined
  if (isSameWindow(step) && !(drop < 0 && isOver(step))) {
    if (!isServed) return 'Remaining the same or one less'
    if (before.remaining === 0) return '429 until a new window opens: nothing was left'
    const perhaps = drop > 1 ? ' (or another client uses this key)' : ''
    return `Remaining ${before.remaining - 1}: one request less is left${perhaps}`
  }
  if (isOver(step)) return isServed && now.remaining >= now.limit ? 'one less than Limit' : undefined
  return 'the same Reset, and one request less, until Reset'
}

const isSameWindow = ({ before, now }: Step): boolean => Math.abs(now.reset - before.reset) < ROUNDING

/** Whether the window of the first response had ended when the second was received. Its Reset may be invalid. */
const isOver = ({ answer, before, from }: Step): boolean =>
  placeOfReset(before.reset, from) !== 'ahead' || answer.at / SECOND >= before.reset - ROUNDING

function stepText({ before, now }: Step): string {
  const counts = `Remaining ${now.remaining} of ${now.limit} after ${before.remaining} of ${before.limit}`
  if (now.reset === before.reset) return counts
  return `${counts}, and Reset ${timestampText(now.reset)} after ${timestampText(before.reset)}`
}
