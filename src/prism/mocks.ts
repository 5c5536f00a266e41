import type { Answer, Call } from '../api/call.ts'
import { isOwnField } from '../api/decorate.ts'
import type { Mock, Preference } from '../api/force.ts'
import { REQUEST_BODY_LIMIT } from '../api/input.ts'
import { relativeTarget } from '../api/resolve.ts'
import type { Operation } from '../contract/openapi/contract.ts'
import type { OpenApiDocument } from '../contract/openapi/document.ts'
import { jsonOf, stringifyJson } from '../contract/openapi/json.ts'
import { checkEncoding, decodeBody, isUtf8Type } from '../contract/openapi/read-request.ts'
import { violations } from '../contract/openapi/validators.ts'
import { decodeUtf8 } from '../text/utf8.ts'
import { once } from '../time/eventually.ts'
import { ApiError, type ApiErrorCode } from '../world/api-error.ts'
import { fieldValue, isJsonType, isRead } from '../world/traffic/message.ts'
import type { MockedResponse, Mocker } from './mocker.ts'
import type { RequestValidator } from './validator.ts'
import type { ContractViolation } from './violations.ts'

/** Answers made from the contract alone. */
export interface Mocks {
  readonly mock: Mock
  /** Validates the path and the body of a request of an operation without state. Throws an ApiError. */
  readonly check: (call: Call) => void
  /** Loads both before the first request that needs them; undefined if they are loaded. */
  readonly load: () => Promise<void> | undefined
}

/** Mocks by Prism, which is loaded before the first request that needs it, so that requests wait for nothing. */
export function prismMocks(document: () => Promise<OpenApiDocument>): Mocks {
  let loaded: { readonly mocker: Mocker; readonly validate: RequestValidator } | undefined
  const load = once(async () => {
    // One after the other: Jest fails to load a module that two imports need at the same time.
    const { createMocker } = await import('./mocker.ts')
    const { createRequestValidator } = await import('./validator.ts')
    const contract = await document()
    const [mocker, validate] = await Promise.all([createMocker(contract), createRequestValidator(contract)])
    loaded = { mocker, validate }
  })
  const prism = () => {
    if (!loaded) throw new Error('Prism was not loaded before the request that needs it')
    return loaded
  }
  return {
    mock(call, operation, preference) {
      const seed = Math.floor(call.world.chance() * 2 ** 32)
      return answerOf(prism().mocker.mock(operation.id, { ...unusualStatus(operation), ...preference, seed }))
    },
    check(call) {
      const { method, headers } = call.request
      const [path = ''] = relativeTarget(call).split('?')
      const body = bodyOf(call)
      const found = prism().validate({ method, path, query: call.query, headers, body })
      if (found.length > 0) throw new ApiError(codeOf(found), textOf(found, call, body))
    },
    load: () => (loaded ? undefined : load()),
  }
}

function codeOf(found: readonly ContractViolation[]): ApiErrorCode {
  const isWrongType = found.some(({ where, path }) => where === 'header' && path === 'Content-Type')
  if (isWrongType) return 'unsupported_media_type'
  return found.some(({ where }) => where === 'body') ? 'invalid_body' : 'invalid_parameter'
}

/** The violations in words; for a JSON body, in those of the operations with state. */
function textOf(found: readonly ContractViolation[], { operation, request }: Call, text: string): string {
  const isJson = isJsonType(fieldValue(request.headers, 'content-type') ?? '')
  const body = isJson && operation?.body ? violations(operation.body.validate, jsonOf(text)) : []
  const texts = found.flatMap(({ where, message }) => {
    if (where === 'body' && text === '') return 'the request needs a body'
    return where === 'body' && body.length > 0 ? body : message
  })
  return [...new Set(texts)].join('; ')
}

/** Prism finds a success or the default. An operation may declare neither, such as one that only redirects. */
function unusualStatus({ statuses }: Operation): Preference {
  const isUsual = statuses.some((status) => /^(2..|default)$/i.test(status))
  const first = isUsual ? undefined : statuses.find((status) => /^\d{3}$/.test(status))
  return first === undefined ? {} : { code: Number(first) }
}

/** The body as text; nothing if the operation has none, as for an operation with state. Throws an ApiError. */
function bodyOf({ request, operation }: Call): string {
  const { headers, body, tooLarge } = request
  if (!operation?.body || isRead(request)) return ''
  if (tooLarge)
    throw new ApiError('body_too_large', `The body is larger than ${REQUEST_BODY_LIMIT / 1024} KiB.`)
  if (!body || body.length === 0) return ''
  checkEncoding(headers)
  const type = fieldValue(headers, 'content-type') ?? ''
  if (!isJsonType(type)) return decodeUtf8(body)
  if (!isUtf8Type(type)) throw new ApiError('unsupported_media_type', 'Send the body in UTF-8.')
  // A body that is not JSON was refused before.
  return decodeBody(body)
}

/** The answer of a mocked response. Header fields that cannot be sent, or that the sandbox sets, are left out. */
function answerOf({ status, headers, body }: MockedResponse): Answer {
  const { 'Content-Type': mediaType = 'application/json', ...others } = headers
  const fields = Object.entries(others).filter(
    ([name, value]) => TOKEN.test(name) && FIELD_VALUE.test(value) && !isOwnField(name),
  )
  const isJson = isJsonType(mediaType)
  return {
    status,
    headers: fields.flat(),
    ...(body !== undefined && { text: typeof body === 'string' && !isJson ? body : stringifyJson(body) }),
    ...(mediaType !== 'application/json' && { mediaType }),
  }
}

/** The name and the value of a header field (RFC 9110, sections 5.1 and 5.5). */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
