import { TOO_DEEP } from '../../text/error.ts'
import { shorten } from '../../text/shorten.ts'
import { textOf, withoutMark } from '../../text/utf8.ts'
import { ApiError } from '../../world/api-error.ts'
import { essence, fieldElements, fieldValues, type Request } from '../../world/traffic/message.ts'
import type { Operation, Parameter, Types } from './contract.ts'
import { JSON_TYPE } from './document.ts'
import { isObject, jsonOrText, parseJson } from './json.ts'
import { violations } from './validators.ts'

export interface QueryReading {
  readonly values: Readonly<Record<string, unknown>>
  readonly violations: readonly QueryViolation[]
  /** Names that the operation does not declare. */
  readonly unknown: readonly string[]
}

export interface QueryViolation {
  readonly parameter: Parameter
  readonly raw: string
  /** The violation as a sentence. */
  readonly text: string
  readonly repeated: boolean
}

const NOTHING_SENT: QueryReading = { values: {}, violations: [], unknown: [] }

/** The valid form of an integer in a query. */
export const INTEGER = /^-?(0|[1-9]\d*)$/

/** The parameters of a query. The leading & keeps a ? at its start, which belongs to the first name. */
export const queryParameters = (query: string): URLSearchParams => new URLSearchParams(`&${query}`)

/** Reads the query of a request; each parameter may occur once. */
export function readQuery(operation: Pick<Operation, 'query'>, query: string): QueryReading {
  if (query === '' && operation.query.every(({ required }) => !required)) return NOTHING_SENT
  const values: Record<string, unknown> = {}
  const wrong: QueryViolation[] = []
  const sent = queryParameters(query)
  for (const parameter of operation.query) {
    const { name, required, validate } = parameter
    const [raw, ...more] = sent.getAll(name)
    const violate = (text: string, repeated = false) =>
      wrong.push({ parameter, raw: raw ?? '', text, repeated })
    if (raw === undefined) {
      if (required) violate(`${name} is required`)
    } else if (more.length > 0 && !isList(parameter)) violate(`${name} must be given once`, true)
    else {
      const value = readValue([raw, ...more], parameter)
      const [text] = violations(validate, value, name)
      if (text) violate(text)
      else values[name] = value
    }
  }
  const isKnown = (name: string) => operation.query.some((parameter) => parameter.has(name))
  return { values, violations: wrong, unknown: [...new Set(sent.keys())].filter((name) => !isKnown(name)) }
}

const trimmed = (list: string): string[] => list.split(',').map((item) => item.trim())

/** The violations of header fields, as sentences. */
export const headerViolations = (declared: readonly Parameter[], headers: readonly string[]): string[] =>
  declared.flatMap((parameter) => {
    const { name, required, validate } = parameter
    const sent = fieldValues(headers, name.toLowerCase())
    if (sent.length === 0) return required ? [`${name} is required`] : []
    const raw = sent.join(', ')
    const value = readValue(isList(parameter) ? trimmed(raw) : [raw], parameter)
    return violations(validate, value, name)
  })

const isList = ({ itemTypes }: Parameter): boolean => itemTypes !== undefined

/** The value of a parameter, from the texts that were sent: the first valid one that they may stand for. */
function readValue(sent: readonly string[], { separator, types, itemTypes, validate }: Parameter): unknown {
  const [raw = ''] = sent
  if (!types) return jsonOrText(raw)
  const texts = separator === undefined ? sent : sent.flatMap((each) => each.split(separator))
  const lists = itemTypes ? [texts.map((each) => typedOf(each, itemTypes))] : []
  const values = sent.length > 1 ? lists : [...lists, typedOf(raw, types), raw]
  return values.find((value) => validate(value)) ?? values[0]
}

/** A JSON number. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i

/** The value that a text stands for; the text itself if it has none of the types. */
function typedOf(raw: string, types: Types): unknown {
  if (types.has('integer') && INTEGER.test(raw)) {
    const value = Number(raw)
    return types.has('int64') && !Number.isSafeInteger(value) ? BigInt(raw) : value
  }
  if (types.has('number') && NUMBER.test(raw)) return Number(raw)
  return types.has('boolean') && /^(true|false)$/.test(raw) ? raw === 'true' : raw
}

/**
 * The JSON value of a body, not validated yet. Throws an ApiError if the body is empty, not JSON, or larger than
 * `limit` bytes (`tooLarge` of the request). `mediaType`: that of the operation, accepted beside `application/json`.
 */
export function readJsonBody(request: Request, limit: number, mediaType: string = JSON_TYPE): unknown {
  const { body, headers, tooLarge } = request
  if (!tooLarge && (!body || body.length === 0))
    throw new ApiError('invalid_body', 'The request needs a body: a JSON object.')
  checkMediaType(headers, mediaType)
  if (tooLarge) throw new ApiError('body_too_large', `The body is larger than ${limit / 1024} KiB.`)
  return parseBody(body as Uint8Array)
}

/** Throws an ApiError for a body that is not a JSON object. */
export function checkObject(body: unknown): Record<string, unknown> {
  if (isObject(body)) return body
  throw new ApiError('invalid_body', 'The body must be a JSON object.')
}

/** Throws an ApiError for a body that is compressed. */
export function checkEncoding(headers: readonly string[]): void {
  const encodings = fieldElements(headers, 'content-encoding')
  const accepted = ['Accept-Encoding', 'identity']
  if (encodings.some((each) => each.toLowerCase() !== 'identity'))
    throw new ApiError('unsupported_media_type', 'Send the body without a Content-Encoding.', accepted)
}

function checkMediaType(headers: readonly string[], mediaType: string): void {
  checkEncoding(headers)
  const sent = fieldValues(headers, 'content-type').join(', ')
  if (sent === JSON_TYPE || ([JSON_TYPE, mediaType].includes(essence(sent)) && isUtf8Type(sent))) return
  const instead = sent ? `, not "${shorten(sent)}"` : ''
  throw new ApiError('unsupported_media_type', `Send the body as "Content-Type: ${mediaType}"${instead}.`)
}

/** Whether a media type names no other charset than UTF-8. */
export function isUtf8Type(mediaType: string): boolean {
  // A semicolon in a quoted string separates nothing (RFC 9110, section 5.6.6).
  const text = mediaType.replace(/"(?:\\.|[^"\\])*"?/g, (quoted) => quoted.replaceAll(';', ','))
  const [, ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  return !parameters.some((each) => /^charset\s*=(?!utf-8$|"utf-8"$)/.test(each))
}

/** The JSON value of a body; throws an ApiError if it is not JSON. */
export function parseBody(body: Uint8Array): unknown {
  try {
    return parseJson(decodeBody(body))
  } catch (error) {
    throw notJson(error)
  }
}

/** The text of a body without a byte order mark; throws if it is not UTF-8. */
export function decodeBody(body: Uint8Array): string {
  const text = textOf(body)
  if (text === undefined) throw new TypeError('The body is not UTF-8')
  return withoutMark(text)
}

/** The ApiError for a body that could not be parsed. */
export const notJson = (error: unknown): ApiError =>
  new ApiError('invalid_json', `The body is not valid JSON: ${reasonOf(error)}.`)

function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return TOO_DEEP
  return error instanceof SyntaxError ? error.message : 'it is not UTF-8'
}
