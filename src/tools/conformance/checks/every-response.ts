import { type Contract, ORDERS } from '../../../contract/openapi/contract.ts'
import { isObject } from '../../../contract/openapi/json.ts'
import type { ContractViolation } from '../../../prism/violations.ts'
import { SECOND } from '../../../time/instant.ts'
import { UNLIMITED } from '../../../world/plan.ts'
import { errorMembers } from '../../error-members.ts'
import { type Check, type CheckContext, check, observing } from '../check.ts'
import {
  DAY_OF_REMOVAL,
  field,
  fieldText,
  httpDateOf,
  identityOf,
  isAfterRemoval,
  isOnDayOfRemoval,
  limitFields,
  quoted,
  REMOVAL,
  responseText,
  retryAfter,
  type ServiceResponse,
  timestampText,
  valueText,
} from '../exchange.ts'
import { placeOfReset, validateQuotaSteps } from '../quota-steps.ts'
import { codeOf, idOf } from '../received-pets.ts'
import { valueAt } from '../values.ts'

/** Selects the responses to which a requirement applies. */
type Kind = (answer: ServiceResponse) => boolean

const isEvery: Kind = () => true
const isSuccess: Kind = ({ status }) => status >= 200 && status < 300
const isNoError: Kind = ({ status }) => status < 400
const isError: Kind = ({ status }) => status >= 400
const isLimited: Kind = ({ status }) => status === 429
const isList: Kind = ({ operationId, status }) => operationId === 'listPets' && status === 200
const isOfGetPet: Kind = ({ operationId }) => operationId === 'getPet'
const isOfOthers: Kind = ({ operationId }) => operationId !== 'getPet'

/** The reason why a check is skipped if no response was selected. */
const NONE = new Map<Kind, string>([
  [isLimited, 'there was no 429; --exhaust-limits sends requests until there is one'],
  [isOfGetPet, 'getPet was not called'],
])

/** Reports the violations in one response. */
type Judge = (context: CheckContext, answer: ServiceResponse) => void

/** A requirement for each response of a kind. */
const each = (kind: Kind, id: string, section: string, title: string, judge: Judge): Check =>
  check(id, section, title, (context) => {
    const answers = described(context).filter(kind)
    if (answers.length === 0) context.skip(NONE.get(kind) ?? 'there was no such response')
    for (const answer of answers) judge(context, answer)
  })

/** The responses of operations that the interface describes. */
const described = ({ history }: CheckContext): ServiceResponse[] =>
  history.filter(({ operationId }) => operationId !== ORDERS)

const LIMIT_HEADERS = 'X-RateLimit-Limit, -Remaining and -Reset'

/** The checks that inspect all responses. They run after the others and send nothing. */
export function everyResponse({ petShape, document }: Contract): Check[] {
  const errorNames = errorMembers(document)
  const validPets = `every pet fits the schema Pet: ${petShape.names.join(', ')}`
  const validErrors = `every error body has nothing but ${errorNames.join(', ')}`
  return [
    each(isEvery, 'media-type', '1, 4', 'every body is application/json', mediaType),
    each(isList, 'list-array', '2, 4.1', BARE_ARRAY, bareArray),
    each(isList, 'ids-unique', '2', 'no two pets of a list have the same id', uniqueIds),
    each(isSuccess, 'pet-schema', '2', validPets, petSchema),
    each(isError, 'error-shape', '2, 7', validErrors, errorShape(errorNames)),
    each(isError, 'error-status', '2', 'the status in an error body is the HTTP status', errorStatus),
    each(isNoError, 'limit-headers', '8', `every success carries ${LIMIT_HEADERS}`, limitHeaders),
    each(isError, 'limit-headers-errors', '8', `every error carries ${LIMIT_HEADERS}`, limitHeaders),
    each(isEvery, 'limit-positive', '8', POSITIVE, limitPositive),
    each(isEvery, 'limit-reset', '8', RESET, limitReset),
    each(isLimited, 'retry-after', '8', 'every 429 carries Retry-After', hasRetryAfter),
    each(isOfGetPet, 'deprecation-header', '4.3, 9', DEPRECATION, deprecation),
    each(isOfGetPet, 'sunset-header', '4.3, 9', `a Sunset header of getPet names ${REMOVAL}`, sunset),
    each(isOfOthers, 'others-not-deprecated', '4', UNMARKED, unmarked),
    check('limit-counting', '8', COUNTING, checkCounting),
    observing('codes', '7', 'the values of code', observeCodes),
    observing('challenge', '5', 'WWW-Authenticate on 401 (RFC 9110 requires it)', observeChallenges),
  ]
}

const BARE_ARRAY = 'every list is a bare array of pets, without an envelope'
const POSITIVE = 'X-RateLimit-Limit is more than 0, and Remaining never more than Limit'
const RESET = 'X-RateLimit-Reset is a Unix timestamp in seconds, in the future'
const DEPRECATION = 'a Deprecation header of getPet is a date, before the removal'
const UNMARKED = 'listPets and createPet are not marked deprecated'
const COUNTING = 'X-RateLimit-Remaining goes down by one a request, and Reset stays, until a new window opens'

function mediaType(context: CheckContext, answer: ServiceResponse): void {
  const isWrong = violationsOf(context, answer).some(({ path }) => path === 'Content-Type')
  context.expect(!isWrong, answer, 'Content-Type: application/json', fieldText(answer, 'Content-Type'))
}

function bareArray(context: CheckContext, answer: ServiceResponse): void {
  const kind = answer.json === undefined ? 'valid JSON' : 'an array'
  const received = `a body that is not ${kind}: ${quoted(answer.body, answer)}`
  context.expect(Array.isArray(answer.json), answer, 'a JSON array of Pet records', received)
}

function uniqueIds(context: CheckContext, answer: ServiceResponse): void {
  if (!Array.isArray(answer.json)) return // list-array reports that
  const ids = answer.json.filter(isObject).map(idOf)
  const last = new Map(ids.map((id, i) => [id, i]))
  const twice = ids.find((id, i) => last.get(id) !== i)
  context.expect(twice === undefined, answer, 'ids that are unique', `id ${twice} more than once`)
}

function petSchema(context: CheckContext, answer: ServiceResponse): void {
  if (isList(answer) && !Array.isArray(answer.json)) return // list-array reports that
  expectValidBody(context, answer, 'the schema of a Pet')
}

/** `names`: the members that an Error may have. */
function errorShape(names: readonly string[]): Judge {
  return (context, answer) => {
    const expected = 'an Error: {"code": text, "message": text, "status": integer}'
    if (!isObject(answer.json)) return void context.expect(false, answer, expected, responseText(answer))
    expectValidBody(context, answer, expected)
    const others = Object.keys(answer.json).filter((name) => !names.includes(name))
    const received = `further members: ${quoted(others.join(', '), answer)}`
    context.expect(others.length === 0, answer, expected, received)
  }
}

function errorStatus(context: CheckContext, answer: ServiceResponse): void {
  const status = valueAt(answer.json, ['status'])
  if (typeof status !== 'number' && typeof status !== 'bigint') return // error-shape reports that
  context.expect(status === answer.status, answer, `status ${answer.status}`, `status ${status}`)
}

function limitPositive(context: CheckContext, answer: ServiceResponse): void {
  const fields = limitFields(answer)
  if (!fields) return
  const { limit, remaining } = fields
  context.expect(limit > 0, answer, 'a limit of at least 1', fieldText(answer, 'X-RateLimit-Limit'))
  context.expect(remaining <= limit, answer, 'Remaining within Limit', `${remaining} of ${limit}`)
}

function limitReset(context: CheckContext, answer: ServiceResponse): void {
  const reset = limitFields(answer)?.reset
  // A ban may be longer than any window.
  if (reset === undefined || (isLimited(answer) && endsWithWindow(answer))) return
  const place = placeOfReset(reset, answer.at)
  const hint = place === 'too far' && reset > MILLISECONDS ? ': it seems to be in milliseconds' : ''
  const received = `X-RateLimit-Reset: ${reset}, which is ${timestampText(reset)}${hint}`
  const expected = `seconds since 1970, within a minute or a day from ${timestampText(answer.at / SECOND)}`
  context.expect(place === 'ahead', answer, expected, received)
}

/** Whether Retry-After, divided by `by`, ends with the window. Reset and Date are rounded to seconds. */
const endsWithWindow = (each: ServiceResponse, by = 1): boolean =>
  Math.abs(each.at + Number(retryAfter(each)) / by - Number(limitFields(each)?.reset) * SECOND) <= 2 * SECOND

function hasRetryAfter(context: CheckContext, answer: ServiceResponse): void {
  const pause = retryAfter(answer)
  // A ban may be a thousand times as long as the rest of the window: another 429 may show that it is in seconds.
  const isInSeconds = context.history.some((each) => isLimited(each) && endsWithWindow(each))
  const isThousandfold = Number(pause) > 1000 * SECOND && endsWithWindow(answer, 1000) && !isInSeconds
  const isTimestamp = Number(pause) > 1e9 * SECOND
  const unit = isThousandfold ? 'in milliseconds' : isTimestamp ? 'a timestamp' : undefined
  const received = fieldText(answer, 'Retry-After') + (unit ? `, which seems to be ${unit}` : '')
  context.expect(pause !== undefined && !unit, answer, 'Retry-After: seconds, or a date', received)
}

function deprecation(context: CheckContext, answer: ServiceResponse): void {
  const value = markOf(context, answer, 'Deprecation')
  if (value === undefined) return
  const received = fieldText(answer, 'Deprecation')
  if (!context.expect(/^@-?\d+$/.test(value), answer, 'a date as in RFC 9745: @1764892800', received)) return
  const since = Number(value.slice(1)) * SECOND
  context.expect(since < DAY_OF_REMOVAL, answer, `a date before ${REMOVAL}`, received)
}

function sunset(context: CheckContext, answer: ServiceResponse): void {
  const value = markOf(context, answer, 'Sunset')
  if (value === undefined) return
  const instant = httpDateOf(value)
  const isRight = instant !== undefined && isOnDayOfRemoval(instant)
  const expected = 'Sunset: Thu, 05 Dec 2030 …, an HTTP date'
  context.expect(isRight, answer, expected, fieldText(answer, 'Sunset'))
}

function unmarked(context: CheckContext, answer: ServiceResponse): void {
  for (const name of ['Deprecation', 'Sunset']) {
    const isMarked = field(answer, name.toLowerCase()) !== undefined
    context.expect(!isMarked, answer, 'only getPet is deprecated', fieldText(answer, name))
  }
}

function observeCodes(context: CheckContext): void {
  const errors = described(context).filter((answer) => isError(answer) && codeOf(answer) !== undefined)
  const found = new Set(errors.map((answer) => `${answer.status} ${quoted(codeOf(answer) ?? '', answer)}`))
  context.observe([...found].sort().join(', ') || 'none')
}

function observeChallenges(context: CheckContext): void {
  const refused = described(context).filter(({ status }) => status === 401)
  if (refused.length === 0) context.skip('there was no 401')
  const values = new Set(refused.map((answer) => fieldText(answer, 'WWW-Authenticate')))
  context.observe([...values].join('; '))
}

const ONE_LIMIT_EACH = 'at most two values of X-RateLimit-Limit: for the minute, and for the day'

/** Timestamps in seconds are smaller than this until the year 5138. */
const MILLISECONDS = 1e11

/** The violations in a response. Any 2xx status is validated as the declared success status. */
function violationsOf(
  { validate }: CheckContext,
  answer: ServiceResponse,
  headers = answer.headers,
): readonly ContractViolation[] {
  const { operationId = '' } = answer
  const status = !isSuccess(answer) ? answer.status : operationId === 'createPet' ? 201 : 200
  return validate(operationId, { status, headers, body: answer.body })
}

/** Reports each violation of the body, with the invalid value. The Content-Type is ignored: another check covers it. */
function expectValidBody(context: CheckContext, answer: ServiceResponse, expected: string): void {
  const found = violationsOf(context, answer, ['content-type', 'application/json'])
  for (const { where, path, message } of found) {
    if (where !== 'body') continue
    const value = path === undefined ? answer.json : valueAt(answer.json, path.split('.'))
    const received = `${path ?? 'the body'} is ${valueText(value, answer)}: ${message}`
    context.expect(false, answer, expected, received)
  }
}

function limitHeaders(context: CheckContext, answer: ServiceResponse): void {
  for (const { where, path = '', message } of violationsOf(context, answer)) {
    if (where !== 'header' || !path.startsWith('X-RateLimit-')) continue
    const received = field(answer, path.toLowerCase()) === undefined ? '' : ` (${message})`
    const expected = `${path}, a whole number, on every response`
    context.expect(false, answer, expected, `${answer.status} with ${fieldText(answer, path)}${received}`)
  }
}

function checkCounting(context: CheckContext): void {
  const { history } = context
  const mine = history.filter((answer) => identityOf(answer.sent) === 'owner' && limitFields(answer))
  const answer = mine[1] ?? context.skip('fewer than two answers carry the limit headers')
  const limits = [...new Set(mine.map((answer) => limitFields(answer)?.limit))]
  if (limits.every((limit) => limit === UNLIMITED)) context.note('the key has no limit')
  else context.expect(limits.length <= 2, answer, ONE_LIMIT_EACH, `${limits.slice(0, 3).join(', then ')}, …`)
  const { failures, counted, uncounted } = validateQuotaSteps(history)
  for (const { answer, received, expected } of failures) context.expect(false, answer, expected, received)
  if (counted.length > 0) context.observe(`requests answered with ${counted.join(', ')} count`)
  if (uncounted.length > 0) context.observe(`requests answered with ${uncounted.join(', ')} do not count`)
}

/** The value of this header field. If the service never sends the field, that is noted once. */
function markOf(context: CheckContext, answer: ServiceResponse, name: string): string | undefined {
  const all = described(context).filter(isOfGetPet)
  const isNowhere = all.every((each) => field(each, name.toLowerCase()) === undefined)
  if (isNowhere && answer === all[0] && !isAfterRemoval(answer)) context.observe(`no ${name} header`)
  return field(answer, name.toLowerCase())
}
