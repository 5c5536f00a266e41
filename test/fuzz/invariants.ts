import type { Answer } from './exchange.ts'

/** A line of a stack trace, or an internal name of Node. */
export const STACK = /(?:\n|\\n) +at .*:\d+:\d+|node:internal|\.[cm]?[jt]s:\d+/

/** Checks the rules for every answer of the API; returns the broken one, or undefined. */
export function brokenIn({ status, headers, body }: Answer): string | undefined {
  // The root sends a browser to the inspector.
  if (status === 302) return headers.get('location') === '/_sandbox/' ? undefined : 'a redirect'
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
    if (!/^\d+$/.test(headers.get(name) ?? '')) return `${name} is ${headers.get(name)}`
  if (!/^req_\d{6,}$/.test(headers.get('x-request-id') ?? '')) return 'no X-Request-Id'
  if (STACK.test(body)) return `a stack trace: ${body}`
  if (status === 500) return `an internal error: ${body}`
  if (status === 204) return undefined
  if (headers.get('content-type') !== 'application/json') return `the type ${headers.get('content-type')}`
  if (body === '') return undefined
  return status >= 400 ? brokenError(status, body) : undefined
}

/** Interface, section 7: exactly code, message and status. */
export function brokenError(status: number, body: string): string | undefined {
  const error = JSON.parse(body)
  const isError =
    Object.keys(error).join() === 'code,message,status' &&
    typeof error.code === 'string' &&
    typeof error.message === 'string' &&
    error.status === status
  return isError ? undefined : `no Error: ${body}`
}
