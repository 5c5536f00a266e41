import { namespaceNamed } from '../api/identify.ts'
import { CONTROL_PATH, isControlTarget } from '../control/control-path.ts'
import { ApiError } from '../world/api-error.ts'
import { NAMESPACE_FORM } from '../world/keys/key.ts'
import type { Request } from '../world/traffic/message.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'

type Head = Pick<Request, 'method' | 'target' | 'headers'>

/** The world that answers a request; `default` says what is wrong with a name that is none. */
export function worldOf(head: Head): string {
  const name = isControlTarget(head.target) ? controlled(head) : namespaceNamed(head.headers)
  return NAMESPACE_FORM.test(name) ? name : DEFAULT_NAMESPACE
}

/** The namespace that a control call drops. */
export const droppedBy = ({ method, target }: Head): string | undefined =>
  method === 'DELETE' && isControlTarget(target) ? named(urlOf(target)) : undefined

/** Whether a control call copies its namespace into another one. */
export const isFork = ({ target }: Pick<Head, 'target'>): boolean => pathOf(target) === `${CONTROL_PATH}/fork`

/** Why a call is not answered here; undefined where it is. */
export function refusalOf({ target }: Pick<Head, 'target'>): ApiError | undefined {
  const { pathname, searchParams } = urlOf(target)
  return pathname === `${CONTROL_PATH}/events` && searchParams.get('namespace') === '*'
    ? notHere('does not send the events of all namespaces. Name one: ?namespace=<name>')
    : undefined
}

/** An operation that the sandbox has in one process only. */
export const notHere = (what: string): ApiError =>
  new ApiError('not_implemented', `Each namespace is a Durable Object of its own here, which ${what}.`)

function controlled({ target }: Head): string {
  const url = urlOf(target)
  return named(url) ?? url.searchParams.get('namespace') ?? DEFAULT_NAMESPACE
}

const NAMED = new RegExp(`^${CONTROL_PATH}/namespaces/([^/]+)$`)

function named({ pathname }: URL): string | undefined {
  return NAMED.exec(pathname)?.[1]
}

const pathOf = (target: string): string => urlOf(target).pathname

export const urlOf = (target: string): URL => new URL(target, 'http://localhost')
