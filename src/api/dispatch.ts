import type { Operation } from '../contract/openapi/contract.ts'
import { isObject } from '../contract/openapi/json.ts'
import { parseBody } from '../contract/openapi/read-request.ts'
import { listed } from '../text/listed.ts'
import { shorten } from '../text/shorten.ts'
import type { Eventually } from '../time/eventually.ts'
import { ApiError, methodNotAllowed, undecodablePath } from '../world/api-error.ts'
import { BASE_PATH, DEFAULT_PORT } from '../world/traffic/address.ts'
import { fieldValue, isJsonType } from '../world/traffic/message.ts'
import { type Answer, type Call, ignore } from './call.ts'
import type { Mock } from './force.ts'
import { checkParameters, unknownIn } from './input.ts'
import { handlerOf, type OperationDeps } from './operations.ts'
import { isOrders, isRemovedFor, offered } from './resolve.ts'

export interface DispatchDeps extends OperationDeps {
  readonly mock: Mock
  /** Refuses a request whose path or body violates the contract; only for operations without state. */
  readonly check: (call: Call) => void
}

/** Answers an admitted request: with the error of its route, or by its operation. */
export function dispatch(call: Call, deps: DispatchDeps): Eventually<Answer> {
  const operation = routed(call, deps)
  const handler = handlerOf(operation) ?? mocked
  return handler(call, operation, deps)
}

/** Operations without state: the request is validated against the contract, and the answer made from it. */
function mocked(call: Call, operation: Operation, { policy, check, mock }: DispatchDeps): Answer {
  const unknownFields = unknownMembers(call, operation)
  check(call)
  const unknownParameters = checkParameters(call, operation, policy)
  if (policy.unknown === 'reject' && unknownFields.length > 0) {
    const texts = unknownFields.map((name) => `${name} is not a field of ${operation.id}`)
    throw new ApiError('invalid_body', listed(texts))
  }
  ignore(call, 'parameter', unknownParameters)
  ignore(call, 'field', unknownFields)
  return mock(call, operation, {})
}

/** The members of a JSON body that the operation does not declare. A body that is not JSON is refused first. */
function unknownMembers({ request }: Call, { body: declared }: Operation): string[] {
  const { body, headers } = request
  const isJson = declared?.takesJson && isJsonType(fieldValue(headers, 'content-type') ?? '')
  const sent = isJson && body?.length ? parseBody(body) : undefined
  return !declared || declared.takesOthers || !isObject(sent) ? [] : unknownIn(sent, declared)
}

function routed(call: Call, { policy }: DispatchDeps): Operation {
  const { route, operation, malformed, request } = call
  if (malformed) throw undecodablePath()
  if (policy.orders === '501' && route && isOrders(call))
    throw new ApiError('not_implemented', `${call.path} is named, not described, by the interface.`)
  const found = offered(call, policy)
  const isRemoved = found !== route && route && !isOrders(call) && (!found || operation?.hasSunset)
  if (isRemoved && isRemovedFor(call, policy) && policy.get.afterRemoval === '410') {
    const successor = `GET ${BASE_PATH}/pets with the status filter`
    throw new ApiError('endpoint_removed', `${BASE_PATH}${route.path} was removed. Use ${successor}.`)
  }
  if (!found) throw routeNotFound(call)
  const offer = found.operations.get(request.method)
  if (offer) return offer
  throw methodNotAllowed(request.method, found.allow)
}

/** The refusal of an unknown path. */
export function routeNotFound({ path, inside, request }: Call): ApiError {
  const isBelow = inside && !/^\/[^/]+\/?$/.test(path)
  const hint = isBelow
    ? ''
    : ` The API is under ${BASE_PATH}, for example ${request.scheme ?? 'http'}://${hostOf(request.headers)}${BASE_PATH}/pets.`
  return new ApiError('route_not_found', `There is no ${shorten(path, 200)} here.${hint}`)
}

const hostOf = (headers: readonly string[]): string =>
  fieldValue(headers, 'host') ?? `localhost:${DEFAULT_PORT}`
