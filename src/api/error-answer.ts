import { API_ERRORS, ApiError, type ApiErrorCode } from '../world/api-error.ts'
import type { Policy } from '../world/policy.ts'
import type { Answer, Call } from './call.ts'
import { challenge } from './identify.ts'
import { offered } from './removal.ts'

/** The answer for a refusal. A 413 closes the connection, because its body was not read to the end. */
export const errorAnswer = ({ code, message, status, headers }: ApiError): Answer => ({
  status,
  headers: status === 503 && headers.length === 0 ? ['Retry-After', '1'] : headers,
  refusal: { code, message },
  ...(code === 'body_too_large' && { close: true }),
})

/** The answer to an unexpected failure. Its cause is only logged. */
export const internalError = (): Answer =>
  errorAnswer(new ApiError('internal_error', 'The sandbox failed to answer; its log says why.'))

/** A forced error with the header fields of its status. `retryAfter` in seconds. */
export function forcedError(
  call: Call,
  policy: Policy,
  status: number,
  message: string,
  retryAfter = 1,
): Answer {
  return {
    ...errorAnswer(new ApiError(codeOf(status), message, owed(call, policy, status, retryAfter), status)),
    close: undefined,
  }
}

function codeOf(status: number): ApiErrorCode {
  const codes = Object.keys(API_ERRORS) as ApiErrorCode[]
  return (
    codes.find((code) => API_ERRORS[code] === status) ?? (status < 500 ? 'invalid_request' : 'internal_error')
  )
}

function owed(call: Call, policy: Policy, status: number, retryAfter: number): readonly string[] {
  if (status === 401) return challenge('invalid_api_key')
  if (status === 405) return ['Allow', offered(call, policy)?.allow ?? '']
  return status === 429 || status === 503 ? ['Retry-After', String(retryAfter)] : []
}
