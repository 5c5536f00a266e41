import { withoutOrigin } from '../world/traffic/address.ts'
import { fieldValue, fieldValues, isRead, type Reply, type Request } from '../world/traffic/message.ts'
import { NO_CONTENT } from './reply.ts'

/** Browsers must not guess media types of replies, nor embed replies in pages of other origins. */
const ALWAYS = ['X-Content-Type-Options', 'nosniff', 'Cross-Origin-Resource-Policy', 'same-origin']

const PREFLIGHT = Object.entries({
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, DELETE',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-Sandbox-Caller',
  'Access-Control-Max-Age': '600',
}).flat()
const EXPOSED = 'Allow, Retry-After, WWW-Authenticate, X-Sandbox-Namespace'

/** The rules for browsers, CORS and related headers. `origins`: their pages may call the control API with its token. */
export function browserRules(origins: readonly string[]) {
  const allowed = ({ headers }: Request): string | undefined => {
    const origin = fieldValue(headers, 'origin')
    return origin !== undefined && origins.includes(origin) ? origin : undefined
  }
  return {
    /** The answer to a CORS preflight of an allowed page. A preflight carries no token. */
    preflight(request: Request): Reply | undefined {
      const { method, headers } = request
      const isPreflight =
        method === 'OPTIONS' && fieldValue(headers, 'access-control-request-method') !== undefined
      if (!isPreflight || allowed(request) === undefined) return undefined
      return { ...NO_CONTENT, headers: [...NO_CONTENT.headers, ...PREFLIGHT] }
    },
    /** Adds header fields for browsers. */
    decorate(request: Request, reply: Reply): Reply {
      const origin = allowed(request)
      const shared = origins.length > 0 ? ['Vary', 'Origin'] : []
      const open =
        origin === undefined
          ? []
          : ['Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', EXPOSED]
      return { ...reply, headers: [...reply.headers, ...ALWAYS, ...shared, ...open] }
    },
  }
}

/** Redirects a browser that opens the address of the sandbox to the inspector; undefined for every other client. */
export function browserReply(request: Request): Reply | undefined {
  if (!isRead(request) || !/^\/(?:\?|$)/.test(withoutOrigin(request.target)) || !prefersHtml(request))
    return undefined
  return {
    status: 302,
    headers: ['Location', '/_sandbox/', 'Content-Length', '0', 'Cache-Control', 'no-store', 'Vary', 'Accept'],
    body: undefined,
  }
}

/** Whether the client accepts HTML, and prefers no media type of the API. */
const prefersHtml = (request: Request): boolean =>
  acceptedWeight('text/html', request, 'accept') > acceptedWeight('application/json', request, 'accept')

/** The weight of a value in a list such as Accept; 0 if it is not among the first 50. `field` in lower case. */
export function acceptedWeight(value: string, { headers }: Request, field: string): number {
  for (const range of fieldValues(headers, field).join(',').split(',', 50)) {
    const [name = '', ...parameters] = range.split(';')
    if (name.trim().toLowerCase() !== value) continue
    const weight = parameters.map((each) => /^\s*q=([\d.]+)\s*$/i.exec(each)?.[1]).find(Boolean)
    return weight === undefined ? 1 : Number(weight)
  }
  return 0
}
