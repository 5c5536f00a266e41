import { bytesToHex } from '@noble/hashes/utils.js'
import { printable } from '../text/printable.ts'
import { shorten } from '../text/shorten.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import { reasonCode } from '../world/traffic/journal-entry.ts'
import { fieldValues } from '../world/traffic/message.ts'

/** A span of OTLP/JSON. */
export type TraceSpan = NonNullable<ReturnType<typeof spanOf>>

/** The facts about a sandbox that its spans contain. */
export interface SpanSource {
  /** The path template of an operation, such as `/v1/pets/{petId}`. */
  readonly routeOf: (operationId: string) => string | undefined
  /** The origin at which the sandbox is reached. */
  readonly origin: string
  /** Returns `length` random bytes. */
  readonly entropy: (length: number) => Uint8Array
  /** Whether to omit the names of namespaces, because they are parts of secret keys. */
  readonly hidesNamespaces: boolean | undefined
}

/** The methods of the semantic conventions; others become `_OTHER`. */
const METHODS = ['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE']

const SERVER = 2
const ERROR = 2
const SAMPLED = 1
/** The bits 8 and 9 of the flags of a span: its parent is in another process, and that is known (OTLP). */
const REMOTE_PARENT = 0x300

/**
 * An exchange as a span of the kind `server`, by the semantic conventions of HTTP; undefined if its trace is not
 * sampled. It contains no key, and no query, because that may contain an unknown key.
 */
export function spanOf(exchange: Exchange, { routeOf, origin, entropy, hidesNamespaces }: SpanSource) {
  const { request, operationId, receivedAt, ms, status, acted, charged } = exchange
  const parent = parentIn(request.headers)
  if (parent?.isSampled === false) return undefined
  const route = operationId === undefined ? undefined : routeOf(operationId)
  const isKnown = METHODS.includes(exchange.method)
  const { protocol, hostname, port } = new URL(origin)
  const isBroken = status === 0
  const values = {
    'http.request.method': isKnown ? exchange.method : '_OTHER',
    'http.request.method_original': isKnown ? undefined : exchange.method,
    'http.route': route,
    'http.response.status_code': status || undefined,
    'error.type': isBroken ? 'connection' : status >= 500 ? String(status) : undefined,
    'url.scheme': protocol.slice(0, -1),
    'url.path': exchange.path,
    'server.address': hostname,
    'server.port': Number(port) || undefined,
    'petstore.request': exchange.id,
    'petstore.namespace': hidesNamespaces ? undefined : exchange.namespace,
    'petstore.plan': exchange.plan,
    'petstore.decision': exchange.decision,
    'petstore.reason': reasonCode(exchange),
    'petstore.rule': acted?.rule,
    'petstore.window': charged?.span,
    'petstore.window.limit': charged?.quota.limit,
    'petstore.window.remaining': charged?.quota.remaining,
    'petstore.test': exchange.test,
  }
  return {
    traceId: parent?.traceId ?? bytesToHex(entropy(16)),
    spanId: bytesToHex(entropy(8)),
    ...(parent && { parentSpanId: parent.spanId }),
    flags: parent ? SAMPLED | REMOTE_PARENT : SAMPLED,
    name: [isKnown ? exchange.method : 'HTTP', route].filter(Boolean).join(' '),
    kind: SERVER,
    startTimeUnixNano: nanoseconds(receivedAt),
    endTimeUnixNano: nanoseconds(receivedAt + ms),
    attributes: attributesOf(values, exchange),
    status: isBroken || status >= 500 ? { code: ERROR } : {},
  }
}

/** W3C Trace Context. A later version may add parts after those of version 00. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/

/** The span of the client that sent a request; undefined if there is none, or if it is invalid. */
function parentIn(headers: readonly string[]) {
  const [given = '', ...others] = fieldValues(headers, 'traceparent')
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(given) ?? []
  if (!traceId || !spanId || others.length > 0 || (version === '00' && more)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags ?? '', 16) & 1) === 1 }
}

const nanoseconds = (milliseconds: number): string => `${Math.round(milliseconds)}000000`

/** The limit of characters of a text. */
const MAX_CHARACTERS = 1024

/** Masks every text, even those of the sandbox itself. */
function attributesOf(values: Readonly<Record<string, string | number | undefined>>, { secrets }: Exchange) {
  const textOf = (value: string) =>
    printable(shorten(secrets.mask(value).replaceAll(/psk_[^\s/?&=;,"]*/gi, 'psk_…'), MAX_CHARACTERS))
  // An unlimited quota has no integer in OTLP.
  const known = Object.entries(values).filter(
    ([, value]) => typeof value === 'string' || Number.isSafeInteger(value),
  )
  return known.map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: textOf(value) } : { intValue: String(value) },
  }))
}
