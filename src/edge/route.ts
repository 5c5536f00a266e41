import { isDocument } from '../api/documents.ts'
import { namespaceNamed } from '../api/identify.ts'
import { isInside } from '../api/resolve.ts'
import { decoded } from '../text/url.ts'
import { decodeUtf8 } from '../text/utf8.ts'
import { ApiError } from '../world/api-error.ts'
import { NAMESPACE_FORM } from '../world/keys/bearer-token.ts'
import { CONTROL_PATH, isControlTarget } from '../world/traffic/address.ts'
import { isRead, type Request } from '../world/traffic/message.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'

type Head = Pick<Request, 'method' | 'target' | 'headers'>

/** The world that answers a request; `default` refuses an invalid name. `isPublic`: each user sees only one world. */
export function worldOf({ method, target, headers }: Head, isPublic = false): string {
  const url = urlOfTarget(target)
  const isControl = isControlTarget(target)
  // Only `default` has the list of all names.
  if (!isPublic && isRead({ method }) && pathOf(target) === `${CONTROL_PATH}/namespaces`)
    return DEFAULT_NAMESPACE
  const given = isControl || isDocument({ target }) ? (named(url) ?? url.searchParams.get('namespace')) : null
  // As in one process, `default` answers a path outside of the API. A public one would refuse to be written to.
  const isOfKey = isPublic ? !isControl : isInside(target) || isDocument({ target })
  const name = given ?? (isOfKey && method !== 'OPTIONS' ? namespaceNamed(headers) : DEFAULT_NAMESPACE)
  return NAMESPACE_FORM.test(name) ? name : DEFAULT_NAMESPACE
}

/** The namespace that a control call drops if it is accepted. */
export const droppedBy = ({ method, target }: Pick<Head, 'method' | 'target'>): string | undefined =>
  method === 'DELETE' && isControlTarget(target) ? named(urlOfTarget(target)) : undefined

/** Whether a control call forks its namespace. */
export const isFork = ({ target }: Pick<Head, 'target'>): boolean => pathOf(target) === `${CONTROL_PATH}/fork`

/** Whether a control call sends a request of the journal again. */
export const isResend = ({ target }: Pick<Head, 'target'>): boolean =>
  new RegExp(`^${CONTROL_PATH}/requests/[^/]+/resend$`).test(pathOf(target))

/** The namespace in the body of a fork or a resend; undefined if there is none, or the body is invalid. */
export function namespaceIn(body: Uint8Array | undefined): string | undefined {
  try {
    const { into, edits }: { into?: unknown; edits?: { headers?: Record<string, string> } } = JSON.parse(
      decodeUtf8(body ?? new Uint8Array()),
    )
    const { authorization } = Object.fromEntries(new Headers(edits?.headers ?? {}))
    if (authorization !== undefined) return namespaceNamed(['authorization', authorization])
    return typeof into === 'string' ? into : undefined
  } catch {
    return undefined
  }
}

/** The refusal of a call that a Durable Object cannot answer; undefined if it can. */
export function refusalOf(request: Pick<Request, 'method' | 'target'>): ApiError | undefined {
  const { pathname, searchParams } = urlOfTarget(request.target)
  if (!isRead(request) || searchParams.get('namespace') !== '*') return undefined
  const isByTest = pathname === `${CONTROL_PATH}/report` && searchParams.has('by')
  if (!isByTest && pathname !== `${CONTROL_PATH}/events`) return undefined
  return notHere('does not know the events and tests of the others. Name one: ?namespace=<name>')
}

/** The error for an operation that needs one process for all namespaces. */
export const notHere = (what: string): ApiError =>
  new ApiError('not_implemented', `Each namespace is a Durable Object of its own here, which ${what}.`)

const NAMED = new RegExp(`^${CONTROL_PATH}/namespaces/([^/]+)$`)

/** The namespace in the path of a control call. */
function named({ pathname }: URL): string | undefined {
  const given = NAMED.exec(pathname)?.[1]
  return given === undefined ? undefined : decoded(given)
}

const pathOf = (target: string): string => urlOfTarget(target).pathname

/** Of a path that begins with `//`, no part is the host. */
export const urlOfTarget = (target: string): URL => new URL(`http://localhost${target}`)
