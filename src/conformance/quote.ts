import { printable } from '../domain/text/printable.ts'
import { maskText } from '../domain/traffic/masking.ts'
import { stringifyJson } from '../openapi/json.ts'
import { field, type ServiceResponse } from './service-response.ts'

const LONGEST = 160

/** A key that is shorter than this is part of ordinary words. */
const SHORTEST_SECRET = 6

/** An answer in one line: `200 application/json [{"id":1,…`. */
export function shown(answer: ServiceResponse): string {
  const type = field(answer, 'content-type') ?? 'no Content-Type'
  return `${answer.status} ${quoted(type, answer)} ${quoted(answer.body, answer) || '(no body)'}`
}

/** A value of an answer, as JSON. */
export const shownValue = (value: unknown, answer: ServiceResponse): string =>
  value === undefined ? 'nothing' : quoted(stringifyJson(value), answer)

/** A header field of an answer: `Retry-After: 24`, or that it is missing. */
export function shownField(answer: ServiceResponse, name: string): string {
  const value = field(answer, name.toLowerCase())
  return value === undefined ? `no ${name}` : `${name}: ${quoted(value, answer)}`
}

/** A text of somebody else: cleaned and cut. */
export function quoted(text: string, answer: ServiceResponse): string {
  const cleaned = clean(text, answer)
  return cleaned.length > LONGEST ? `${cleaned.slice(0, LONGEST)}…` : cleaned
}

/** A text that may hold somebody else's: without the key, and without what would move a terminal's cursor. */
export const clean = (text: string, { secret }: ServiceResponse): string =>
  printable(
    maskText(text, secret.length < SHORTEST_SECRET ? undefined : secret)
      .replace(/\p{Cc}+/gu, ' ')
      .trim(),
  )
