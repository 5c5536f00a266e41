import { stringifyJson } from '../../contract/openapi/json.ts'
import { printable } from '../../text/printable.ts'
import { shorten } from '../../text/shorten.ts'
import { Secrets } from '../../world/keys/secrets.ts'
import { field, type ServiceResponse } from './exchange.ts'

const LONGEST = 160

/** A shorter key may be part of ordinary words, so it is not masked. */
const SHORTEST_SECRET = 6

/** A response in one line: `200 application/json [{"id":1,…`. */
export function shown(answer: ServiceResponse): string {
  const type = field(answer, 'content-type') ?? 'no Content-Type'
  return `${answer.status} ${quoted(type, answer)} ${quoted(answer.body, answer) || '(no body)'}`
}

/** A value of a response, as JSON. */
export const shownValue = (value: unknown, answer: ServiceResponse): string =>
  value === undefined ? 'nothing' : quoted(stringifyJson(value), answer)

/** A header field of a response: `Retry-After: 24`, or a note that it is missing. */
export function shownField(answer: ServiceResponse, name: string): string {
  const value = field(answer, name.toLowerCase())
  return value === undefined ? `no ${name}` : `${name}: ${quoted(value, answer)}`
}

/** Untrusted text, cleaned and cut. */
export const quoted = (text: string, answer: ServiceResponse): string => shorten(clean(text, answer), LONGEST)

/** Untrusted text without the key and without terminal control characters. */
export function clean(text: string, { secret }: ServiceResponse): string {
  const secrets = new Secrets()
  if (secret.length >= SHORTEST_SECRET) secrets.add([secret])
  const masked = secrets.mask(text)
  return printable(masked.replace(/\p{Cc}+/gu, ' ').trim())
}
