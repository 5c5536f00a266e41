import type { Body, Operation, Resolution } from '../contract/openapi/contract.ts'
import { isObject } from '../contract/openapi/json.ts'
import { parseObjectSteps } from '../contract/openapi/json-steps.ts'
import {
  checkEncoding,
  decodeBody,
  notJson,
  parseBody,
  type QueryReading,
} from '../contract/openapi/read-request.ts'
import { refusals, refusedText } from '../contract/openapi/validators.ts'
import { errorMessage } from '../text/error.ts'
import { listed } from '../text/listed.ts'
import { shorten, shortName } from '../text/shorten.ts'
import type { Slices } from '../time/slices.ts'
import { ApiError, methodNotAllowed, undecodablePath } from '../world/api-error.ts'
import { CONTROL_PATH, withoutOrigin } from '../world/traffic/address.ts'
import { isRead, type Request } from '../world/traffic/message.ts'
import { controlBodyLimit } from './body-limit.ts'

/** The path and the query of a request, relative to the control API. */
export function targetOf({ target }: Request): { path: string; query: string } {
  const relative = withoutOrigin(target).slice(CONTROL_PATH.length)
  const [path = '', query = ''] = relative.split(/\?(.*)/s)
  // Some host servers remove a trailing slash.
  return { path: path || '/', query }
}

/** The operation of a request; undefined for OPTIONS. */
export function routed({ method, target }: Request, resolution: Resolution): Operation | undefined {
  const { route, operation, malformed } = resolution
  if (malformed) throw undecodablePath()
  if (!route) {
    const message = `There is no ${shorten(target, 200)} here. ${CONTROL_PATH}/openapi.json describes the control API.`
    throw new ApiError('route_not_found', message)
  }
  if (operation || method === 'OPTIONS') return operation
  throw methodNotAllowed(method, route.allow)
}

/**
 * The parameters of a call. Unknown ones are refused, because with a misspelt `namespace` a call would change another
 * one. Every call accepts `namespace`, even if it is about all of them, except that of agents: their messages name it.
 */
export function readValues(operation: Operation, sent: QueryReading): QueryReading['values'] {
  const { values, violations: wrong, unknown } = sent
  const known = operation.query.map(({ name }) => name).join(', ') || 'none'
  const texts = [
    ...wrong.map(
      ({ text, raw, repeated }) => text + (repeated ? '' : refusedText({ refused: raw || undefined })),
    ),
    ...unknown
      .filter((name) => name !== 'namespace' || operation.id === 'callMcp')
      .map((name) => `${shortName(name)} is not a parameter here; known: ${known}`),
  ]
  if (texts.length > 0) throw new ApiError('invalid_parameter', listed(texts))
  return values
}

/** The validated body of a call. Any media type is accepted, because the guard refuses pages of other origins. */
export function bodyOf(request: Request, { body: contract }: Operation, slices: Slices): unknown {
  const { body, headers, tooLarge, target } = request
  if (!contract) return isRead(request) ? undefined : refuseBody(request)
  if (tooLarge) throw new ApiError('body_too_large', tooLargeText(controlBodyLimit(target)))
  if (!body || body.length === 0) {
    if (!contract.required) return undefined
    throw new ApiError('invalid_body', `The request needs a body: ${objectOf(contract)}.`)
  }
  checkEncoding(headers)
  return isLong(request)
    ? parseLongBody(body, slices).then((value) => checked(value, contract))
    : checked(parseBody(body), contract)
}

/** `DELETE /faults` with a body would remove more than its sender means. Some clients send {} if there is nothing to say. */
function refuseBody({ method, target, body }: Request): void {
  const text = body ? decodeBody(body).trim() : ''
  if (text !== '' && !/^\{\s*\}$/.test(text))
    throw new ApiError('invalid_body', `${method} ${shorten(target)} takes no body; leave it out.`)
}

/** Longer bodies, in bytes, are parsed in slices. */
const LONG_BODY = 64 * 1024

export const isLong = ({ body }: Request): boolean => (body?.byteLength ?? 0) > LONG_BODY

async function parseLongBody(body: Uint8Array, slices: Slices): Promise<unknown> {
  try {
    return await slices.run(parseObjectSteps(decodeBody(body)))
  } catch (error) {
    throw notJson(error)
  }
}

const objectOf = ({ fields }: Body): string =>
  `a JSON object${fields.length > 0 ? ` with ${fields.join(', ')}` : ''}`

function checked(value: unknown, body: Body): unknown {
  if (!isObject(value))
    throw new ApiError(
      'invalid_body',
      `The body must be ${objectOf(body)}${refusedText({ refused: value })}.`,
    )
  const wrong = refusals(body.validate, value)
  if (wrong.length > 0) throw new ApiError('invalid_body', listed(wrong))
  return value
}

/** Parses the text of a member of a body. Throws an ApiError if `parse` throws. */
export function parsed<T>(name: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw new ApiError('invalid_body', `${name}: ${errorMessage(error)}`)
  }
}

const tooLargeText = (limit: number): string => {
  const size = limit < MIB ? `${limit / 1024} KiB` : `${limit / MIB} MiB`
  const instead = limit < MIB ? '' : ' Seed in parts with "mode": "append", or start with --fixture <file>.'
  return `The body is larger than ${size}, the limit of this call.${instead}`
}

const MIB = 1024 * 1024
