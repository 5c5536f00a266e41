import type { WireFault } from '../faults/fault.ts'

/** A complete request as it was received. */
export interface Request {
  readonly method: string
  /** The request target as it was sent: path and query, nothing decoded or normalised. */
  readonly target: string
  /** Flat: name, value, … as sent, repeated ones included. */
  readonly headers: readonly string[]
  /** Undefined if there was none. */
  readonly body: Uint8Array | undefined
  /** True if the body exceeds the limit and was cut. */
  readonly tooLarge: boolean
  /** The address of the client; undefined in process, UNKNOWN_ADDRESS if the host server does not report it. */
  readonly address: string | undefined
  /** Calls `act` when the client no longer waits for the answer. Returns a function that stops listening. */
  readonly onGone?: (act: () => void) => () => void
  /** The scheme, unless it is http. */
  readonly scheme?: 'https'
  /** The reply must not be compressed, because the host server drops Content-Encoding. */
  readonly uncompressed?: true
}

export const UNKNOWN_ADDRESS = 'unknown'

export const isRead = ({ method }: Pick<Request, 'method'>): boolean => method === 'GET' || method === 'HEAD'

/** A request that came through no connection. */
export const requestWith = (
  method: string,
  target: string,
  headers: readonly string[],
  body?: Uint8Array,
): Request => ({ method, target, headers, body, tooLarge: false, address: undefined })

/** A response as a plain value. */
export interface Reply {
  readonly status: number
  /** The reason phrase, if it is not the standard one. */
  readonly reason?: string
  /** Flat: name, value, … */
  readonly headers: readonly string[]
  readonly body: string | Uint8Array | undefined
  /** A response of another service: no header field is added to it, not even Date. */
  readonly foreign?: true
  /** A fault of the connection, in place of a response. */
  readonly wire?: WireFault
  /** In place of a body: a long text in parts, each made when the reader takes it. */
  readonly slices?: AsyncIterable<string>
  /** In place of a body: receives a function that sends text, and returns a function that stops. */
  readonly stream?: (send: (text: string) => void) => () => void
  /** Called after the response was sent. */
  readonly onSent?: () => void
  /** The connection is closed after this response. */
  readonly close?: true
}

export type Handle = (request: Request) => Reply | Promise<Reply>

const NONE: readonly string[] = []

/** The values of one header field, in the order they were sent. `name` in lower case. */
export function fieldValues(headers: readonly string[], name: string): readonly string[] {
  let values: string[] | undefined
  for (let i = 0; i < headers.length; i += 2) {
    const candidate = headers[i] ?? ''
    if (candidate.length !== name.length || candidate.toLowerCase() !== name) continue
    if (values) values.push(headers[i + 1] ?? '')
    else values = [headers[i + 1] ?? '']
  }
  return values ?? NONE
}

/** The first value of a header field. `name` in lower case. */
export function fieldValue(headers: readonly string[], name: string): string | undefined {
  for (let i = 0; i < headers.length; i += 2) {
    const candidate = headers[i] ?? ''
    if (candidate.length === name.length && candidate.toLowerCase() === name) return headers[i + 1]
  }
  return undefined
}

/** The elements of a field that is a list (RFC 9110, section 5.6.1), of all its values; empty ones do not count. */
export const fieldElements = (headers: readonly string[], name: string): string[] =>
  fieldValues(headers, name)
    .flatMap((value) => value.split(','))
    .map((element) => element.trim())
    .filter(Boolean)

/** A media type without its parameters, in lower case. */
export const essence = (contentType: string): string => contentType.replace(/;.*/s, '').trim().toLowerCase()

/** Whether content of this type is JSON: `application/json`, or a type that ends in `+json`. */
export const isJsonType = (contentType: string): boolean => /[/+]json$/.test(essence(contentType))

/** Header fields as pairs of name and value. */
export const fieldPairs = (headers: readonly string[]): (readonly [name: string, value: string])[] =>
  Array.from({ length: headers.length / 2 }, (_, i) => [headers[2 * i] ?? '', headers[2 * i + 1] ?? ''])

/** The header fields whose name passes a test; flat again. */
export const fieldsWhere = (headers: readonly string[], passes: (name: string) => boolean): string[] =>
  headers.filter((_, i) => passes(headers[i - (i % 2)] ?? ''))

/** Header fields by name in lower case. Values of repeated names are joined as in RFC 9110, section 5.3. */
export function fieldRecord(headers: readonly string[]): Record<string, string> {
  const fields = new Map<string, string>()
  for (const [field, value] of fieldPairs(headers)) {
    const name = field.toLowerCase()
    const before = fields.get(name)
    fields.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(fields)
}
