import type { WireFault } from '../faults/fault.ts'

/** A request as it came in, complete. */
export interface Request {
  readonly method: string
  /** The request target as it was sent: path and query, nothing decoded or normalised. */
  readonly target: string
  /** Flat: name, value, … as sent, repeated ones included. */
  readonly headers: readonly string[]
  /** Undefined where there was none. */
  readonly body: Uint8Array | undefined
  /** True if the body went beyond the limit; it is cut then. */
  readonly tooLarge: boolean
  /** The address it came from; undefined in process, UNKNOWN_ADDRESS where the server in between does not report it. */
  readonly address: string | undefined
  /** Calls `act` when its sender no longer waits for the answer; returns how to stop listening. */
  readonly onGone?: (act: () => void) => () => void
  /** The scheme, unless it is http. */
  readonly scheme?: 'https'
  /** Its reply must not be compressed, because the server in between drops Content-Encoding. */
  readonly uncompressed?: true
}

export const UNKNOWN_ADDRESS = 'unknown'

/** A response, still a value. */
export interface Reply {
  readonly status: number
  /** The reason phrase, where it is not the usual one. */
  readonly reason?: string
  /** Flat: name, value, … */
  readonly headers: readonly string[]
  readonly body: string | Uint8Array | undefined
  /** The response of another service: no header field is added, not even Date. */
  readonly foreign?: true
  /** The fault of the connection, instead of a response. */
  readonly wire?: WireFault
  /** Instead of a body: a long text in parts, made as its reader takes them. */
  readonly slices?: AsyncIterable<string>
  /** Instead of a body: receives a function that sends text; returns how to stop. */
  readonly stream?: (send: (text: string) => void) => () => void
  /** Called once it has been sent. */
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
    const candidate = headers[i] as string
    if (candidate.length !== name.length || candidate.toLowerCase() !== name) continue
    if (values) values.push(headers[i + 1] as string)
    else values = [headers[i + 1] as string]
  }
  return values ?? NONE
}

/** The first value of a header field. `name` in lower case. */
export function fieldValue(headers: readonly string[], name: string): string | undefined {
  for (let i = 0; i < headers.length; i += 2) {
    const candidate = headers[i] as string
    if (candidate.length === name.length && candidate.toLowerCase() === name) return headers[i + 1]
  }
  return undefined
}
