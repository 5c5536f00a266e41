import { SECOND } from '../../../time/instant.ts'
import { UNLIMITED } from '../../../world/plan.ts'
import type { Check, CheckContext } from '../check.ts'
import { placeOfReset, validateQuotaSteps } from '../quota-steps.ts'
import { shownField } from '../quote.ts'
import { identityOf } from '../service-request.ts'
import { field, limitFields, retryAfter, type ServiceResponse, timestampText } from '../service-response.ts'
import { described, isError, violationsOf } from './bodies.ts'

/** Section 8: the limit headers of every response. They send nothing; they run after the others. */
export const LIMITS: readonly Check[] = [
  {
    id: 'limit-headers',
    section: '8',
    title: 'every success carries X-RateLimit-Limit, -Remaining and -Reset',
    run: (context) => expectHeaders(context, (answer) => !isError(answer)),
  },
  {
    id: 'limit-headers-errors',
    section: '8',
    title: 'every error carries X-RateLimit-Limit, -Remaining and -Reset',
    run: (context) => expectHeaders(context, isError),
  },
  {
    id: 'limit-positive',
    section: '8',
    title: 'X-RateLimit-Limit is more than 0, and Remaining never more than Limit',
    run(context) {
      for (const answer of described(context)) {
        const fields = limitFields(answer)
        if (!fields) continue
        const { limit, remaining } = fields
        context.expect(limit > 0, answer, 'a limit of at least 1', shownField(answer, 'X-RateLimit-Limit'))
        context.expect(remaining <= limit, answer, 'Remaining within Limit', `${remaining} of ${limit}`)
      }
    },
  },
  {
    id: 'limit-reset',
    section: '8',
    title: 'X-RateLimit-Reset is a Unix timestamp in seconds, still to come',
    run(context) {
      for (const answer of described(context)) expectReset(context, answer)
    },
  },
  {
    id: 'limit-counting',
    section: '8',
    title: 'X-RateLimit-Remaining goes down by one a request, until a new window opens',
    run: expectCounting,
  },
  {
    id: 'retry-after',
    section: '8',
    title: 'every 429 carries Retry-After',
    run(context) {
      const refusals = described(context).filter(({ status }) => status === 429)
      if (refusals.length === 0) context.skip('there was no 429; use --exhaust-limits to get one')
      for (const answer of refusals) {
        const readable = retryAfter(answer) !== undefined
        context.expect(readable, answer, 'Retry-After: seconds, or a date', shownField(answer, 'Retry-After'))
      }
    },
  },
]

function expectHeaders(context: CheckContext, applies: (answer: ServiceResponse) => boolean): void {
  const answers = described(context).filter(applies)
  if (answers.length === 0) context.skip('there was no such answer')
  for (const answer of answers) {
    for (const { where, path = '', message } of violationsOf(context, answer)) {
      if (where !== 'header' || !path.startsWith('X-RateLimit-')) continue
      const received = field(answer, path.toLowerCase()) === undefined ? '' : ` (${message})`
      const expected = `${path}, a whole number, on every response`
      context.expect(false, answer, expected, `${answer.status} with ${shownField(answer, path)}${received}`)
    }
  }
}

function expectReset(context: CheckContext, answer: ServiceResponse): void {
  const reset = limitFields(answer)?.reset
  if (reset === undefined) return
  const place = placeOfReset(reset, answer.at)
  const hint = place === 'too far' && reset > MILLISECONDS ? ': it seems to be in milliseconds' : ''
  const received = `X-RateLimit-Reset: ${reset}, which is ${timestampText(reset)}${hint}`
  const expected = `seconds since 1970, within a minute or a day from ${timestampText(answer.at / SECOND)}`
  context.expect(place === 'ahead', answer, expected, received)
}

/** Timestamps in seconds are smaller than this until the year 5138. */
const MILLISECONDS = 1e11

function expectCounting(context: CheckContext): void {
  const mine = context.history.filter((answer) => identityOf(answer.sent) === 'owner' && limitFields(answer))
  if (mine.length < 2) context.skip('fewer than two answers carry the limit headers')
  if (mine.every((answer) => limitFields(answer)?.limit === UNLIMITED)) context.note('the key has no limit')
  else context.checked()
  const { failures, counted, uncounted } = validateQuotaSteps(context.history)
  for (const { answer, received, expected } of failures) context.expect(false, answer, expected, received)
  if (counted.length > 0) context.observe(`requests answered with ${counted.join(', ')} count`)
  if (uncounted.length > 0) context.observe(`requests answered with ${uncounted.join(', ')} do not count`)
}
