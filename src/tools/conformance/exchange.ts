import { stringifyJson } from '../../contract/openapi/json.ts'
import { printable } from '../../text/printable.ts'
import { shorten } from '../../text/shorten.ts'
import { HOUR, httpDate, iso, isShowable, SECOND } from '../../time/instant.ts'
import { Secrets } from '../../world/keys/secrets.ts'
import { fieldValues } from '../../world/traffic/message.ts'

/** A request to the service. Without `key`, it is sent with the key of the run. */
export interface ServiceRequest {
  /** Method and target below the base URL: `GET /pets?limit=1`. */
  readonly send: string
  /** The bytes to send; a POST without it has an empty body. */
  readonly body?: string
  readonly key?: 'missing' | 'invalid'
}

export interface ServiceResponse {
  readonly sent: ServiceRequest
  /** The operation of the contract; undefined if it has none for this request. */
  readonly operationId: string | undefined
  /** The request for people: `GET /pets?limit=1 (no key)`. */
  readonly request: string
  readonly status: number
  /** Flat: name, value, … */
  readonly headers: readonly string[]
  readonly body: string
  /** The body parsed as JSON with every digit; undefined if it is not JSON, which is UTF-8. */
  readonly json: unknown
  /** The service's own time in milliseconds: its `Date`, or the time of this machine if it sends none. */
  readonly at: number
  /** The key of the run, which must not be shown. */
  readonly secrets: Secrets
  /** The number of requests before it that had no response, and possibly used quota. */
  readonly unanswered?: number
}

/** `body`: a string is sent as it is; an object becomes JSON. */
export const createPet = (body?: string | object): ServiceRequest => ({
  send: 'POST /pets',
  ...(body !== undefined && { body: typeof body === 'string' ? body : stringifyJson(body) }),
})

export const getPet = (id: unknown): ServiceRequest => ({
  // The id of a wrong service may be any text: a Buffer replaces what is no Unicode, which cannot be encoded.
  send: `GET /pets/${encodeURIComponent(`${Buffer.from(typeof id === 'string' ? id : stringifyJson(id))}`)}`,
})

/** The caller of a request; `anonymous` has no valid key. */
export type Identity = 'owner' | 'anonymous'

export const identityOf = ({ key }: ServiceRequest): Identity => (key ? 'anonymous' : 'owner')

/** The values of a header field, joined; undefined if it is missing. `name` in lower case. */
export function field({ headers }: ServiceResponse, name: string): string | undefined {
  const values = fieldValues(headers, name)
  return values.length > 0 ? values.join(', ') : undefined
}

export type LimitFields = NonNullable<ReturnType<typeof limitFields>>

/** The values of the limit headers, if all three are valid; `reset` in seconds since the epoch. */
export function limitFields(answer: ServiceResponse) {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => {
    const text = field(answer, `x-ratelimit-${name}`)
    return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
  })
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined
  return { limit, remaining, reset }
}

/** The wait of `Retry-After`, in milliseconds: seconds or a date (RFC 9110, section 10.2.3). */
export function retryAfter(answer: ServiceResponse): number | undefined {
  const text = field(answer, 'retry-after')
  if (text === undefined) return undefined
  if (/^\d+$/.test(text)) return Number(text) * SECOND
  const date = httpDateOf(text)
  return date === undefined ? undefined : Math.max(0, date - answer.at)
}

/** The instant of an HTTP date; undefined if it is not valid. */
export function httpDateOf(text: string | undefined): number | undefined {
  const instant = Date.parse(text ?? '')
  // Servers must send this form (RFC 9110, section 5.6.7); Date.parse also reads others.
  return isShowable(instant) && httpDate(instant) === text ? instant : undefined
}

/** A Unix timestamp for people; as a number if no date can show it. */
export const timestampText = (seconds: number): string =>
  isShowable(seconds * SECOND) ? iso(seconds * SECOND) : String(seconds)

/** The day on which getPet is removed (interface, sections 4.3 and 9). */
export const REMOVAL = '5 December 2030'

export const DAY_OF_REMOVAL = Date.UTC(2030, 11, 5)

/** Whether the service answered on or after the day of removal, by its own clock. */
export const isAfterRemoval = ({ at }: ServiceResponse): boolean => at >= DAY_OF_REMOVAL

/** Whether an instant lies within that day in some time zone; the interface names none. */
export const isOnDayOfRemoval = (instant: number): boolean =>
  instant >= DAY_OF_REMOVAL - 14 * HOUR && instant <= DAY_OF_REMOVAL + 36 * HOUR

const LONGEST_QUOTE = 160

/** The statuses whose Location a browser follows. */
const REDIRECT = new Set([301, 302, 303, 307, 308])

/** A response in one line: `200 application/json [{"id":1,…`, or `302 to /login`. */
export function responseText(answer: ServiceResponse): string {
  const type = field(answer, 'content-type') ?? 'no Content-Type'
  const target = field(answer, 'location')
  if (target !== undefined && REDIRECT.has(answer.status))
    return `${answer.status} to ${quoted(target, answer)}`
  return `${answer.status} ${quoted(type, answer)} ${quoted(answer.body, answer) || '(no body)'}`
}

/** A value of a response, as JSON. */
export const valueText = (value: unknown, answer: ServiceResponse): string =>
  value === undefined ? 'nothing' : quoted(stringifyJson(value), answer)

/** A header field of a response: `Retry-After: 24`, or a note that it is missing. */
export function fieldText(answer: ServiceResponse, name: string): string {
  const value = field(answer, name.toLowerCase())
  return value === undefined ? `no ${name}` : `${name}: ${quoted(value, answer)}`
}

/** Untrusted text, cleaned and cut. */
export const quoted = (text: string, answer: Pick<ServiceResponse, 'secrets'>): string =>
  shorten(clean(text, answer), LONGEST_QUOTE)

/** Untrusted text without the key and without terminal control characters. */
export function clean(text: string, { secrets }: Pick<ServiceResponse, 'secrets'>): string {
  const masked = secrets.mask(text)
  return printable(masked.replace(/\p{Cc}+/gu, ' ').trim())
}

/** A shorter key may be part of ordinary words, so it is not masked. */
const SHORTEST_SECRET = 6

export function secretsOf(key: string): Secrets {
  const secrets = new Secrets()
  if (key.length >= SHORTEST_SECRET) secrets.add([key])
  return secrets
}
