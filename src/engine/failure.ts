import { PROBLEMS, Problem, type ProblemCode } from '../domain/problem.ts'
import type { Answer, Call } from './call.ts'
import { challenge } from './identify.ts'

/** The answer that a refusal is. A 413 closes the connection, since its body was not read to the end. */
export const refused = ({ code, message, status, headers }: Problem): Answer => ({
  status,
  headers: status === 503 && headers.length === 0 ? ['Retry-After', '1'] : headers,
  refusal: { code, message },
  ...(code === 'body_too_large' && { close: true }),
})

/** The answer to a failure nobody meant: what happened stays in the log. */
export const failed = (): Answer =>
  refused(new Problem('internal_error', 'The sandbox failed to answer; its log says why.'))

/** An error that was asked for, with what its status owes. `retryAfter` in seconds. */
export function asked(call: Call, status: number, message: string, retryAfter = 1): Answer {
  return {
    ...refused(new Problem(codeOf(status), message, owed(call, status, retryAfter), status)),
    close: undefined,
  }
}

function codeOf(status: number): ProblemCode {
  const codes = Object.keys(PROBLEMS) as ProblemCode[]
  return (
    codes.find((code) => PROBLEMS[code] === status) ?? (status < 500 ? 'invalid_request' : 'internal_error')
  )
}

function owed(call: Call, status: number, retryAfter: number): readonly string[] {
  if (status === 401) return challenge('invalid_api_key')
  if (status === 405) return ['Allow', call.route?.allow ?? '']
  return status === 429 || status === 503 ? ['Retry-After', String(retryAfter)] : []
}
