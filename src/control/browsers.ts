import { fieldValue, type Reply, type Request } from '../domain/traffic/message.ts'
import { NO_CONTENT } from './reply.ts'

/** Nothing here is to be guessed at, or to be embedded in a page of another origin. */
const ALWAYS = ['X-Content-Type-Options', 'nosniff', 'Cross-Origin-Resource-Policy', 'same-origin']

const METHODS = 'GET, HEAD, POST, PUT, DELETE'
const EXPOSED = 'Allow, Retry-After, WWW-Authenticate'

/** What the control API tells browsers. `origins`: those whose pages may call it, if they have its token. */
export interface Browsers {
  /** The answer to a CORS preflight of a page that may call; it comes without a token. */
  preflight(request: Request): Reply | undefined
  /** A reply with what browsers go by. */
  told(request: Request, reply: Reply): Reply
}

export function browserRules(origins: readonly string[]): Browsers {
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
    told(request, reply) {
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
