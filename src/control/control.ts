import type { Operation, Resolution } from '../contract/contract.ts'
import { checkObject, parseBody, readQuery } from '../contract/read.ts'
import { violations } from '../contract/validators.ts'
import type { Handle, Reply, Request } from '../domain/message.ts'
import { Problem } from '../domain/problem.ts'
import { DEFAULT_NAMESPACE } from '../domain/worlds.ts'
import type { Context, ControlDeps } from './context.ts'
import { createGuard } from './guard.ts'
import { controlOperations } from './operations.ts'
import { CONTROL_BODY_LIMIT, CONTROL_PATH } from './path.ts'
import { NO_CONTENT, refusalReply } from './reply.ts'
import { StateChanges } from './state-changes.ts'

/** The headers of the API link to it, so it opens for everyone. */
const OPEN_TO_ALL = 'getDeprecationNotes'

/** Answers the control API: its contract is the router, its operations act on the worlds. */
export function createControl(deps: ControlDeps): Handle {
  const { contract } = deps
  const guard = createGuard(deps.token)
  const changes = new StateChanges(deps.onChange)
  return (request) => {
    const { path, query } = targetOf(request)
    const resolution = contract.resolve(request.method, path)
    try {
      if (resolution.operation?.id !== OPEN_TO_ALL) guard(request)
      const answered = answer(request, resolution, query)
      const reply = answered instanceof Promise ? answered.catch(refuse) : answered
      return request.method === 'HEAD' ? Promise.resolve(reply).then(withoutBody) : reply
    } catch (error) {
      return refuse(error)
    }
  }

  function answer(request: Request, resolution: Resolution, query: string): Reply | Promise<Reply> {
    const operation = routed(request, resolution)
    if (!operation) return { ...NO_CONTENT, headers: ['Allow', resolution.route?.allow ?? ''] }
    const handler = controlOperations[operation.id]
    if (!handler) throw new Error(`The control API has no operation ${operation.id}`)
    return handler(contextOf(request, operation, resolution, query))
  }

  function contextOf(
    request: Request,
    operation: Operation,
    { params }: Resolution,
    query: string,
  ): Context<never> {
    const real = deps.realTime()
    const values = readValues(operation, query)
    const namespace = (values.namespace as string | undefined) ?? DEFAULT_NAMESPACE
    return {
      deps,
      request,
      params,
      query: values,
      body: bodyOf(request, operation) as never,
      real,
      world: () => deps.worlds.get(namespace, real),
      changes,
    }
  }

  function refuse(error: unknown): Reply {
    if (error instanceof Problem) return refusalReply(error)
    deps.onFailure(error)
    return refusalReply(new Problem('internal_error', 'The sandbox failed to answer; its log says why.'))
  }
}

function targetOf({ target }: Request): { path: string; query: string } {
  const relative = target.replace(/^https?:\/\/[^/?#]*/, '').slice(CONTROL_PATH.length)
  const mark = relative.indexOf('?')
  return mark < 0
    ? { path: relative, query: '' }
    : { path: relative.slice(0, mark), query: relative.slice(mark + 1) }
}

/** Undefined for OPTIONS, which asks what may be done. */
function routed({ method, target }: Request, resolution: Resolution): Operation | undefined {
  const { route, operation, malformed } = resolution
  if (malformed) {
    throw new Problem('invalid_request', 'The path holds a percent-encoding that cannot be decoded.')
  }
  if (!route) {
    const shown = target.slice(0, 200)
    const message = `There is no ${shown} here. ${CONTROL_PATH}/openapi.json describes the control API.`
    throw new Problem('route_not_found', message)
  }
  if (operation || method === 'OPTIONS') return operation
  const message = `${method} is not allowed here; allowed: ${route.allow}.`
  throw new Problem('method_not_allowed', message, ['Allow', route.allow])
}

/**
 * A misspelt parameter is refused: ignored, it would let a call act on the wrong namespace. `namespace` may
 * stand on every call, also on one that is about all of them.
 */
function readValues(operation: Operation, query: string): Record<string, unknown> {
  const { values, violations: wrong, unknown } = readQuery(operation, query)
  const known = operation.query.map(({ name }) => name).join(', ') || 'none'
  const texts = [
    ...wrong.map(({ text }) => text),
    ...unknown
      .filter((name) => name !== 'namespace')
      .map((name) => `${name.slice(0, 100)} is no parameter here; known: ${known}`),
  ]
  if (texts.length > 0) throw new Problem('invalid_parameter', texts.join('; '))
  return values
}

/** Its media type does not matter: what keeps pages of other origins out is the guard. */
function bodyOf({ body, tooLarge }: Request, operation: Operation): unknown {
  if (!operation.body) return undefined
  if (!body || body.length === 0) {
    if (!operation.body.required) return undefined
    throw new Problem('invalid_body', 'The request needs a body: a JSON object.')
  }
  if (tooLarge) {
    throw new Problem('body_too_large', `The body is larger than ${CONTROL_BODY_LIMIT / 1024 / 1024} MiB.`)
  }
  const value = checkObject(parseBody(body))
  const wrong = violations(operation.body.validate, value)
  if (wrong.length > 0) throw new Problem('invalid_body', wrong.join('; '))
  return value
}

/** Nothing is streamed to HEAD either. */
const withoutBody = ({ status, headers }: Reply): Reply => ({ status, headers, body: undefined })
