import { iso, isShowable, SECOND } from '../../time/instant.ts'
import { fieldValues } from '../../world/traffic/message.ts'
import type { ServiceRequest } from './service-request.ts'

/** The response of a service. */
export interface ServiceResponse {
  readonly sent: ServiceRequest
  /** The request for people: `GET /pets?limit=1 (no key)`. */
  readonly request: string
  readonly status: number
  /** Flat: name, value, … */
  readonly headers: readonly string[]
  readonly body: string
  /** The body parsed as JSON with every digit; undefined if it is not JSON. */
  readonly json: unknown
  /** The service's own time in milliseconds: its `Date`, or the time of this machine if it sends none. */
  readonly at: number
  /** The key, which must not be shown. */
  readonly secret: string
}

/** The values of the limit headers; `reset` in seconds since the epoch. */
export interface LimitFields {
  readonly limit: number
  readonly remaining: number
  readonly reset: number
}

/** The values of a header field, joined; undefined where it is missing. `name` in lower case. */
export function field({ headers }: ServiceResponse, name: string): string | undefined {
  const values = fieldValues(headers, name)
  return values.length > 0 ? values.join(', ') : undefined
}

/** The limit headers, if all three are valid. */
export function limitFields(answer: ServiceResponse): LimitFields | undefined {
  const [limit, remaining, reset] = LIMIT_NAMES.map((name) => field(answer, name)).map((text) =>
    text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined,
  )
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined
  return { limit, remaining, reset }
}

const LIMIT_NAMES = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

/** The wait of `Retry-After`, in milliseconds: seconds or a date (RFC 9110, section 10.2.3). */
export function retryAfter(answer: ServiceResponse): number | undefined {
  const text = field(answer, 'retry-after')
  if (text === undefined) return undefined
  if (/^\d+$/.test(text)) return Number(text) * SECOND
  const date = httpDateOf(text)
  return date === undefined ? undefined : Math.max(0, date - answer.at)
}

const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/

/** The instant of an HTTP date; undefined if it is not valid. */
export function httpDateOf(text: string | undefined): number | undefined {
  if (text === undefined || !HTTP_DATE.test(text)) return undefined
  const instant = Date.parse(text)
  return Number.isNaN(instant) ? undefined : instant
}

/** A Unix timestamp for people; one that no clock can show is shown as a number. */
export const timestampText = (seconds: number): string =>
  isShowable(seconds * SECOND) ? iso(seconds * SECOND) : String(seconds)
