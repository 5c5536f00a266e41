import type { RecordShape } from '../../../contract/openapi/record-shape.ts'
import type { ContractViolation } from '../../../prism/message.ts'
import { SECOND } from '../../../time/instant.ts'
import { UNLIMITED } from '../../../world/plan.ts'
import type { Check, CheckContext } from '../check.ts'
import { placeOfReset, validateQuotaSteps } from '../quota-steps.ts'
import { quoted, shown, shownField, shownValue } from '../quote.ts'
import { codeOf, memberOf } from '../received-pets.ts'
import { END_OF_REMOVAL, isAfterRemoval, isOnDayOfRemoval, REMOVAL } from '../removal-date.ts'
import { identityOf } from '../service-request.ts'
import {
  field,
  httpDateOf,
  limitFields,
  retryAfter,
  type ServiceResponse,
  timestampText,
} from '../service-response.ts'
import { isRecord } from '../values.ts'

/** What holds for each response of a kind. */
interface Row extends Omit<Check, 'run'> {
  /** The responses that it is about; all without it. */
  readonly of?: (answer: ServiceResponse) => boolean
  /** Why the check is skipped where there are none. */
  readonly none?: string
  readonly each: (context: CheckContext, answer: ServiceResponse) => void
}

/** The checks that inspect all responses. They send nothing; they run after the others. */
export const everyResponse = (shape: RecordShape): Check[] => [
  ...[...bodies(shape), ...LIMITS].map(ofEach),
  COUNTING,
  ...[RETRY_AFTER, ...DEPRECATION].map(ofEach),
  ...OPEN,
]

const ofEach = ({ of = () => true, none, each, ...check }: Row): Check => ({
  ...check,
  run(context) {
    const answers = described(context).filter(of)
    if (answers.length === 0 && none !== undefined) context.skip(none)
    for (const answer of answers) each(context, answer)
  },
})

/** The responses of operations that the interface describes. */
const described = ({ history }: CheckContext): ServiceResponse[] =>
  history.filter(({ sent }) => sent.operationId !== 'listOrders')

const isError = ({ status }: ServiceResponse): boolean => status >= 400
const isSuccess = ({ status }: ServiceResponse): boolean => status >= 200 && status < 300
const isOfGetPet = ({ sent }: ServiceResponse): boolean => sent.operationId === 'getPet'

/** Sections 1, 2 and 7. */
const bodies = ({ names }: RecordShape): Row[] => [
  {
    id: 'media-type',
    section: '1, 4',
    title: 'every body is application/json',
    each(context, answer) {
      const isWrong = violationsOf(context, answer).some(({ path }) => path === 'Content-Type')
      context.expect(!isWrong, answer, 'Content-Type: application/json', shownField(answer, 'Content-Type'))
    },
  },
  {
    id: 'pet-schema',
    section: '2',
    title: `every pet fits the schema Pet: ${names.join(', ')}`,
    of: isSuccess,
    each(context, answer) {
      const isList = answer.sent.operationId === 'listPets'
      if (isList && answer.status === 200 && !Array.isArray(answer.json)) return // list-array reports that
      expectValidBody(context, answer, 'the schema of a Pet')
    },
  },
  {
    id: 'error-shape',
    section: '2, 7',
    title: 'every error body has exactly code, message and status',
    of: isError,
    each(context, answer) {
      const expected = 'an Error: {"code": text, "message": text, "status": integer}'
      if (!isRecord(answer.json)) {
        context.expect(false, answer, expected, shown(answer))
        return
      }
      expectValidBody(context, answer, expected)
      const others = Object.keys(answer.json).filter((name) => !['code', 'message', 'status'].includes(name))
      const received = `further members: ${quoted(others.join(', '), answer)}`
      context.expect(others.length === 0, answer, expected, received)
    },
  },
  {
    id: 'error-status',
    section: '2',
    title: 'the status in an error body is the HTTP status',
    of: isError,
    each(context, answer) {
      const status = memberOf(answer.json, 'status')
      if (typeof status !== 'number') return // error-shape reports that
      context.expect(status === answer.status, answer, `status ${answer.status}`, `status ${status}`)
    },
  },
]

/** The violations of a response; any 2xx is validated as the declared success status. */
function violationsOf(
  { validate }: CheckContext,
  answer: ServiceResponse,
  headers = answer.headers,
): readonly ContractViolation[] {
  const { operationId } = answer.sent
  const status = !isSuccess(answer) ? answer.status : operationId === 'createPet' ? 201 : 200
  return validate(operationId, { status, headers, body: answer.body })
}

/** Reports each violation of the body, with the invalid value. The Content-Type is ignored: another check covers it. */
function expectValidBody(context: CheckContext, answer: ServiceResponse, expected: string): void {
  for (const { where, path, message } of violationsOf(context, answer, [
    'content-type',
    'application/json',
  ])) {
    if (where !== 'body') continue
    const value = path?.split('.').reduce(memberOf, answer.json)
    const received = path === undefined ? message : `${path} is ${shownValue(value, answer)}: ${message}`
    context.expect(false, answer, expected, received)
  }
}

/** Section 8: the limit headers of every response. */
const LIMITS: readonly Row[] = [
  {
    id: 'limit-headers',
    section: '8',
    title: 'every success carries X-RateLimit-Limit, -Remaining and -Reset',
    of: (answer) => !isError(answer),
    none: 'there was no such answer',
    each: expectLimitHeaders,
  },
  {
    id: 'limit-headers-errors',
    section: '8',
    title: 'every error carries X-RateLimit-Limit, -Remaining and -Reset',
    of: isError,
    none: 'there was no such answer',
    each: expectLimitHeaders,
  },
  {
    id: 'limit-positive',
    section: '8',
    title: 'X-RateLimit-Limit is more than 0, and Remaining never more than Limit',
    each(context, answer) {
      const fields = limitFields(answer)
      if (!fields) return
      const { limit, remaining } = fields
      context.expect(limit > 0, answer, 'a limit of at least 1', shownField(answer, 'X-RateLimit-Limit'))
      context.expect(remaining <= limit, answer, 'Remaining within Limit', `${remaining} of ${limit}`)
    },
  },
  {
    id: 'limit-reset',
    section: '8',
    title: 'X-RateLimit-Reset is a Unix timestamp in seconds, still to come',
    each(context, answer) {
      const reset = limitFields(answer)?.reset
      if (reset === undefined) return
      const place = placeOfReset(reset, answer.at)
      const hint = place === 'too far' && reset > MILLISECONDS ? ': it seems to be in milliseconds' : ''
      const received = `X-RateLimit-Reset: ${reset}, which is ${timestampText(reset)}${hint}`
      const now = timestampText(answer.at / SECOND)
      const expected = `seconds since 1970, within a minute or a day from ${now}`
      context.expect(place === 'ahead', answer, expected, received)
    },
  },
]

/** Timestamps in seconds are smaller than this until the year 5138. */
const MILLISECONDS = 1e11

function expectLimitHeaders(context: CheckContext, answer: ServiceResponse): void {
  for (const { where, path = '', message } of violationsOf(context, answer)) {
    if (where !== 'header' || !path.startsWith('X-RateLimit-')) continue
    const received = field(answer, path.toLowerCase()) === undefined ? '' : ` (${message})`
    const expected = `${path}, a whole number, on every response`
    context.expect(false, answer, expected, `${answer.status} with ${shownField(answer, path)}${received}`)
  }
}

const COUNTING: Check = {
  id: 'limit-counting',
  section: '8',
  title: 'X-RateLimit-Remaining goes down by one a request, until a new window opens',
  run(context) {
    const { history } = context
    const mine = history.filter((answer) => identityOf(answer.sent) === 'owner' && limitFields(answer))
    if (mine.length < 2) context.skip('fewer than two answers carry the limit headers')
    if (mine.every((answer) => limitFields(answer)?.limit === UNLIMITED)) context.note('the key has no limit')
    else context.checked()
    const { failures, counted, uncounted } = validateQuotaSteps(history)
    for (const { answer, received, expected } of failures) context.expect(false, answer, expected, received)
    if (counted.length > 0) context.observe(`requests answered with ${counted.join(', ')} count`)
    if (uncounted.length > 0) context.observe(`requests answered with ${uncounted.join(', ')} do not count`)
  },
}

const RETRY_AFTER: Row = {
  id: 'retry-after',
  section: '8',
  title: 'every 429 carries Retry-After',
  of: ({ status }) => status === 429,
  none: 'there was no 429; use --exhaust-limits to get one',
  each(context, answer) {
    const readable = retryAfter(answer) !== undefined
    context.expect(readable, answer, 'Retry-After: seconds, or a date', shownField(answer, 'Retry-After'))
  },
}

/** Sections 4.3 and 9: the headers about getPet's removal. */
const DEPRECATION: readonly Row[] = [
  {
    id: 'deprecation-header',
    section: '4.3, 9',
    title: 'a Deprecation header of getPet is a date, before the removal',
    of: isOfGetPet,
    none: 'getPet was not called',
    each(context, answer) {
      const value = markOf(context, answer, 'Deprecation')
      if (value === undefined) return
      const received = shownField(answer, 'Deprecation')
      const isWrong = violationsOf(context, answer).some(({ path }) => path === 'Deprecation')
      if (!context.expect(!isWrong, answer, 'a date as RFC 9745 has it: @1764892800', received)) return
      const since = Number(value.slice(1)) * SECOND
      context.expect(since <= END_OF_REMOVAL, answer, `a date before ${REMOVAL}`, received)
    },
  },
  {
    id: 'sunset-header',
    section: '4.3, 9',
    title: `a Sunset header of getPet names ${REMOVAL}`,
    of: isOfGetPet,
    none: 'getPet was not called',
    each(context, answer) {
      const value = markOf(context, answer, 'Sunset')
      if (value === undefined) return
      const sunset = httpDateOf(value)
      const isRight = sunset !== undefined && isOnDayOfRemoval(sunset)
      const expected = 'Sunset: Thu, 05 Dec 2030 …, an HTTP date'
      context.expect(isRight, answer, expected, shownField(answer, 'Sunset'))
    },
  },
  {
    id: 'others-not-deprecated',
    section: '4',
    title: 'listPets and createPet are not marked deprecated',
    of: (answer) => !isOfGetPet(answer),
    each(context, answer) {
      for (const name of ['Deprecation', 'Sunset']) {
        const isMarked = field(answer, name.toLowerCase()) !== undefined
        context.expect(!isMarked, answer, 'only getPet is deprecated', shownField(answer, name))
      }
    },
  },
]

/** The value of this header; that a service sends it nowhere is noted once. */
function markOf(context: CheckContext, answer: ServiceResponse, name: string): string | undefined {
  const all = described(context).filter(isOfGetPet)
  const isNowhere = all.every((each) => field(each, name.toLowerCase()) === undefined)
  if (isNowhere && answer === all[0] && !isAfterRemoval(answer)) context.observe(`no ${name} header`)
  return field(answer, name.toLowerCase())
}

/** What the interface leaves open: each reports an observation and never fails. */
const OPEN: readonly Check[] = [
  {
    id: 'codes',
    section: '7',
    title: 'the values of code',
    observes: true,
    run(context) {
      const errors = described(context).filter((answer) => isError(answer) && codeOf(answer) !== undefined)
      const codes = new Set(
        errors.map((answer) => `${answer.status} ${quoted(codeOf(answer) ?? '', answer)}`),
      )
      context.observe([...codes].sort().join(', ') || 'none')
    },
  },
  {
    id: 'challenge',
    section: '5',
    title: 'WWW-Authenticate on 401 (RFC 9110 requires it)',
    observes: true,
    run(context) {
      const refused = described(context).filter(({ status }) => status === 401)
      if (refused.length === 0) context.skip('there was no 401')
      const values = new Set(refused.map((answer) => shownField(answer, 'WWW-Authenticate')))
      context.observe([...values].join('; '))
    },
  },
]
