import type { Policy } from '../world/policy.ts'
import { fieldElements, fieldValue } from '../world/traffic/message.ts'
import type { Answer, Call } from './call.ts'
import { offered } from './resolve.ts'

const EVERY_METHOD = 'GET, HEAD, POST, OPTIONS'
const ALWAYS_ALLOWED = ['authorization', 'content-type']

/**
 * The answer to OPTIONS (RFC 9110, section 9.3.7) and to a CORS preflight, which is never authenticated, counted,
 * throttled, delayed or recorded. Undefined for any other request. `own`: the methods of a path that is not in the contract.
 */
export function options(call: Call, policy: Policy, own?: string): Answer | undefined {
  const { request, inside } = call
  if (request.method !== 'OPTIONS') return undefined
  const wanted = fieldValue(request.headers, 'access-control-request-method')
  const isPreflight = wanted !== undefined && fieldValue(request.headers, 'origin') !== undefined
  if (!own && !inside && !isPreflight && request.target !== '*') return undefined
  const allow = own ?? offered(call, policy)?.allow
  return {
    status: 204,
    headers: [...(allow ? ['Allow', allow] : []), ...(isPreflight ? preflight(call, allow) : [])],
  }
}

function preflight({ request }: Call, allow = EVERY_METHOD): readonly string[] {
  const more = fieldElements(request.headers, 'access-control-request-headers').filter(
    (name) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && !ALWAYS_ALLOWED.includes(name.toLowerCase()),
  )
  return Object.entries({
    'Access-Control-Allow-Methods': allow,
    'Access-Control-Allow-Headers': ['Authorization', 'Content-Type', ...more].join(', '),
    'Access-Control-Max-Age': '600',
  }).flat()
}
