/** The base path of the Animal Store; every path of its contract is relative to it (interface, section 1). */
export const BASE_PATH = '/v1'

/** The base path of the control API. */
export const CONTROL_PATH = '/_sandbox'

/** The header field in which a client of the control API says of which kind it is. */
export const CALLER_HEADER = 'x-sandbox-caller'

/** A request target in origin form (`/path?query`), also for one in absolute form (RFC 9112, section 3.2). */
export const withoutOrigin = (target: string): string =>
  target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/^(?=\?|$)/, '/')

/** The target of a request as it was sent, from its two parts. */
export const targetOf = ({ path, query }: { readonly path: string; readonly query: string }): string =>
  query === '' ? path : `${path}?${query}`

/** The two parts of a target. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const mark = target.indexOf('?')
  if (mark < 0) return { path: target, query: '' }
  return { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

const CONTROL_TARGET = new RegExp(`^${CONTROL_PATH}(?:[/?]|$)`)

export const isControlTarget = (target: string): boolean => CONTROL_TARGET.test(withoutOrigin(target))

/** The port of a sandbox that is started without `--port`. */
export const DEFAULT_PORT = 4010

/** The origin of a sandbox that is started without options. */
export const DEFAULT_ORIGIN = `http://localhost:${DEFAULT_PORT}`
