import type { FaultMatch } from '../contract/generated/control.types.d.ts'
import { jsonOf, jsonOrText } from '../contract/openapi/json.ts'
import { queryParameters } from '../contract/openapi/read-request.ts'
import { INJECTED, matchesContent } from '../world/faults/fault.ts'
import { splitTarget } from '../world/traffic/address.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import type { RecordedReply, RecordedRequest } from './recording.ts'

/** A recorded fault rule that answers with a status. */
export interface StatusFault {
  /** Undefined if the rule is in all namespaces. */
  readonly namespace: string | undefined
  readonly operationId: unknown
  readonly method: unknown
  readonly content: Pick<FaultMatch, 'parameters' | 'body'>
  readonly status: number
  readonly message: string
  /** Whether the request was carried out and only its answer was replaced. */
  readonly isCarriedOut: boolean
}

/** The rule that a call adds; empty if it does not answer with a status. */
export function addedFault(request: RecordedRequest): StatusFault[] {
  const rule = 'body' in request ? jsonOf(`${request.body}`) : undefined
  return faultIn(rule, /[?&]namespace=([^&]*)/.exec(request.target)?.[1] ?? DEFAULT_NAMESPACE)
}

/** A rule of unknown form; empty if it does not answer with a status. */
export function faultIn(rule: unknown, namespace: string | undefined): StatusFault[] {
  const { when, effect, match } = Object(rule)
  const { status, message = INJECTED } = Object(effect)
  if (typeof status !== 'number' || typeof message !== 'string') return []
  const { operationId, method, ...content } = Object(match)
  return [{ namespace, operationId, method, content, status, message, isCarriedOut: when === 'after' }]
}

/** The fault that produced a reply, found by its message. A reply that was lost was recorded as if it had arrived. */
export function faultOf(
  request: RecordedRequest,
  path: string,
  namespace: string,
  was: RecordedReply,
  faults: readonly StatusFault[],
): Pick<StatusFault, 'isCarriedOut'> | undefined {
  if (was.status < 400 || !('body' in was)) return undefined
  const { message } = Object(jsonOf(`${was.body}`))
  const { method } = request
  const operationId = operationOf(method, path)
  const sent = {
    parameters: () => queryParameters(splitTarget(path).query),
    body: () => jsonOrText('body' in request ? `${request.body}` : ''),
  }
  const acted = faults.filter(
    (fault) =>
      fault.status === was.status &&
      fault.message === message &&
      (fault.namespace ?? namespace) === namespace &&
      (fault.operationId ?? operationId) === operationId &&
      `${fault.method ?? method}`.toUpperCase() === method &&
      matchesContent(fault.content, sent),
  )
  if (acted.length > 0) return { isCarriedOut: acted.some(({ isCarriedOut }) => isCarriedOut) }
  return message === INJECTED ? { isCarriedOut: false } : undefined
}

/** The id of an operation of the interface; undefined for one that an overlay adds. */
function operationOf(method: string, path: string): string | undefined {
  if (method === 'GET') return /^\/pets(?:\?|$)/.test(path) ? 'listPets' : 'getPet'
  return method === 'POST' ? 'createPet' : undefined
}
