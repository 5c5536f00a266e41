import { fieldValue, type Reply, type Request } from '../world/traffic/message.ts'
import { NO_CONTENT } from './reply.ts'

/** Browsers must not guess media types here, nor embed replies in pages of other origins. */
const ALWAYS = ['X-Content-Type-Options', 'nosniff', 'Cross-Origin-Resource-Policy', 'same-origin']

const METHODS = 'GET, HEAD, POST, PUT, DELETE'
const EXPOSED = 'Allow, Retry-After, WWW-Authenticate, X-Sandbox-Namespace'

/** The rules for browsers: CORS and related headers. */
export interface BrowserRules {
  /** The answer to a CORS preflight of a page that may call; it comes without a token. */
  preflight(request: Request): Reply | undefined
  /** Adds the header fields that browsers obey. */
  decorate(request: Request, reply: Reply): Reply
}

/** `origins`: those whose pages may call the control API, if they have its token. */
export function browserRules(origins: readonly string[]): BrowserRules {
  const allowed = ({ headers }: Request): string | undefined => {
    const origin = fieldValue(headers, 'origin')
    return origin !== undefined && origins.includes(origin) ? origin : undefined
  }
  return {
    preflight(request) {
      const { method, headers } = request
      const isPreflight =
        method === 'OPTIONS' && fieldValue(headers, 'access-control-request-method') !== undefined
      if (!isPreflight || allowed(request) === undefined) return undefined
      return {
        ...NO_CONTENT,
        headers: [
          ...NO_CONTENT.headers,
          'Access-Control-Allow-Methods',
          METHODS,
          'Access-Control-Allow-Headers',
          'Authorization, Content-Type',
          'Access-Control-Max-Age',
          '600',
        ],
      }
    },
    decorate(request, reply) {
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
