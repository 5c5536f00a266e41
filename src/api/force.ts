import { declaredFor, type Operation, ORDERS } from '../contract/openapi/contract.ts'
import { API_ERRORS, ApiError, type ApiErrorCode } from '../world/api-error.ts'
import type { Policy } from '../world/policy.ts'
import { fieldsWhere, fieldValue, fieldValues } from '../world/traffic/message.ts'
import { FORCED } from '../world/traffic/reason.ts'
import { type Answer, type Call, errorAnswer } from './call.ts'
import { INVALID_KEY } from './identify.ts'
import { isMocked } from './operations.ts'
import { offered } from './resolve.ts'

/** The preferences of a client for its response: those of Prism, in the header field `Prefer` (RFC 7240). */
export interface Preference {
  /** The status of the response; the lowest declared success status by default. */
  readonly code?: number
  /** The name of a declared example. */
  readonly example?: string
  /** Generated from the schema, unless an example is named. */
  readonly dynamic?: boolean
}

/** A body for an operation, made from the contract. Refuses an example or a status that is not declared. */
export type Mock = (call: Call, operation: Operation, preference: Preference) => Answer

/** The answer that `Prefer` forces; undefined if it forces none. State is neither read nor changed. */
export function force(call: Call, mock: Mock, policy: Policy): Answer | undefined {
  const sent = fieldValues(call.request.headers, 'prefer').flatMap(readPreferences)
  if (sent.length === 0) return undefined
  // If a preference is repeated, the first counts (RFC 7240, section 2).
  const chosen = new Map(sent.reverse())
  const preference = preferenceOf(chosen)
  const { code, example, dynamic } = preference
  const applied = [...chosen].reverse().map(([name, value]) => `${name}=${value}`)
  const forced = (answer: Answer): Answer => {
    if (call.decision === 'served') call.decision = 'forced'
    const headers = [...(answer.headers ?? []), 'Preference-Applied', applied.join(', ')]
    return { ...answer, headers, reason: FORCED }
  }
  const found = offered(call, policy)?.operations.get(call.request.method)
  const operation = found?.id === ORDERS && policy.orders !== 'mock' ? undefined : found
  const isError = code !== undefined && code >= 400 && example === undefined && !dynamic
  if (isError && !(operation && isMocked(operation, policy) && hasOwn(operation, code)))
    return forced(forcedError(call, policy, code, `The request asked for ${code}.`))
  // Before chance is drawn. What a change of an overlay declares is completed later.
  if (operation && code !== undefined && !operation.change) checkDeclared(operation, code)
  if (operation) return forced(mockedAnswer(call, operation, policy, mock(call, operation, preference)))
  if (code === undefined) return undefined
  throw new ApiError('invalid_request', `Prefer: code=${code} needs an operation, and none matches here.`)
}

/** A forced error with the header fields of its status. `retryAfter`: in seconds, by default only where it is needed. */
export function forcedError(
  call: Call,
  policy: Policy,
  status: number,
  message: string,
  retryAfter: number | undefined = [429, 503, policy.ban.status].includes(status) ? 1 : undefined,
): Answer {
  const headers = requiredFields(call, policy, status, retryAfter)
  return { ...errorAnswer(new ApiError(codeOf(status, policy), message, headers, status)), close: undefined }
}

function codeOf(status: number, { ban }: Policy): ApiErrorCode {
  // The other code of this status belongs to the control API.
  if (status === 403) return ban.status === 403 ? 'api_key_banned' : 'invalid_request'
  const declared = (Object.keys(API_ERRORS) as ApiErrorCode[]).find((code) => API_ERRORS[code] === status)
  return declared ?? (status < 500 ? 'invalid_request' : 'internal_error')
}

/** The header fields that a response with this status must have. */
function requiredFields(call: Call, policy: Policy, status: number, retryAfter: number | undefined) {
  const wait = retryAfter === undefined ? [] : ['Retry-After', String(retryAfter)]
  if (status === 401) return [...INVALID_KEY.headers, ...wait]
  if (status === 405) return ['Allow', offered(call, policy)?.allow ?? '', ...wait]
  return wait
}

/** Whether an operation has its own response for a status: `default` is for every other one. */
const hasOwn = ({ statuses }: Operation, code: number): boolean =>
  !['default', undefined].includes(declaredFor(code, statuses))

/** Throws an ApiError for a status that an operation does not declare. */
export function checkDeclared({ id, statuses }: Pick<Operation, 'id' | 'statuses'>, code: number): void {
  if (declaredFor(code, statuses) !== undefined) return
  throw new ApiError('invalid_request', `${id} declares no ${code}; it declares: ${statuses.join(', ')}.`)
}

/** A forced error has the code and the header fields of its status; an operation with state sets its own fields. */
function mockedAnswer(call: Call, operation: Operation, policy: Policy, answer: Answer): Answer {
  const { status, text, mediaType } = answer
  const declared = isMocked(operation, policy) ? (answer.headers ?? []) : []
  if (status < 400) return { ...answer, headers: declared }
  const { headers: own = [] } = forcedError(call, policy, status, '')
  const others = fieldsWhere(declared, (name) => fieldValue(own, name.toLowerCase()) === undefined)
  const isJson = text !== undefined && mediaType === undefined
  return { ...answer, headers: [...own, ...others], ...(isJson && { text: withStatus(text, status) }) }
}

/** Sets the status in an Error body; another body is unchanged. */
function withStatus(text: string, status: number): string {
  const { code, message }: { code?: unknown; message?: unknown } = Object(JSON.parse(text))
  const isError = typeof code === 'string' && typeof message === 'string'
  return isError ? JSON.stringify({ code, message, status }) : text
}

const KNOWN = ['code', 'example', 'dynamic']

/** A preference of a list, and its part before its parameters. Within quotes, commas and semicolons are text. */
const PREFERENCE = /(?:[^",]|"(?:[^"\\]|\\.|\\$)*(?:"|$))+/g
const WITHOUT_PARAMETERS = /^(?:[^";]|"(?:[^"\\]|\\.|\\$)*(?:"|$))*/

/** The supported preferences of a header field, which have no parameters, as name and value. */
function readPreferences(field: string): [string, string][] {
  return (field.match(PREFERENCE) ?? []).flatMap((preference): [string, string][] => {
    const [part = ''] = WITHOUT_PARAMETERS.exec(preference) ?? []
    const equals = part.indexOf('=')
    const name = (equals < 0 ? part : part.slice(0, equals)).trim().toLowerCase()
    return KNOWN.includes(name) ? [[name, equals < 0 ? '' : unquoted(part.slice(equals + 1).trim())]] : []
  })
}

const unquoted = (value: string): string =>
  /^".*"$/.test(value) ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value

function preferenceOf(chosen: ReadonlyMap<string, string>): Preference {
  const [code, example, dynamic] = [chosen.get('code'), chosen.get('example'), chosen.get('dynamic')]
  if (code !== undefined && !/^[2-5]\d\d$/.test(code))
    throw new ApiError('invalid_request', `Prefer: code=${code} is not valid; send one from 200 to 599.`)
  if (dynamic !== undefined && dynamic !== 'true' && dynamic !== 'false')
    throw new ApiError('invalid_request', `Prefer: dynamic=${dynamic} is not valid; send true or false.`)
  return {
    ...(code !== undefined && { code: Number(code) }),
    ...(example !== undefined && { example }),
    ...(dynamic === 'true' && { dynamic: true }),
  }
}
