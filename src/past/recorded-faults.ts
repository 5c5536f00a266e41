import { jsonOf } from '../contract/openapi/json.ts'
import { INJECTED } from '../world/faults/fault.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import type { RecordedReply, RecordedRequest } from './recording.ts'

/** A fault rule of a recording that answers with a status. */
export interface StatusFault {
  /** Undefined where it is in all of them. */
  readonly namespace: string | undefined
  readonly operationId: unknown
  readonly status: number
  readonly message: string
  /** Its request was carried out: only the answer was replaced. */
  readonly isCarriedOut: boolean
}

/** The rule that a call adds; undefined if its effect has no status. */
export function addedFault(request: RecordedRequest): StatusFault[] {
  const rule = 'body' in request ? jsonOf(`${request.body}`) : undefined
  return faultIn(rule, /[?&]namespace=([^&]*)/.exec(request.target)?.[1] ?? DEFAULT_NAMESPACE)
}

/** None where a rule does not answer with a status. */
export function faultIn(rule: unknown, namespace: string | undefined): StatusFault[] {
  const { when, effect, match } = (rule ?? {}) as Partial<Record<string, Readonly<Record<string, unknown>>>>
  const { status, message = INJECTED } = effect ?? {}
  if (typeof status !== 'number' || typeof message !== 'string') return []
  const isCarriedOut = (when as unknown) === 'after'
  return [{ namespace, operationId: match?.operationId, status, message, isCarriedOut }]
}

/**
 * The fault that a reply came from, recognised by its message. A reply that was lost on the way was recorded as it would
 * have been.
 */
export function faultOf(
  { method }: RecordedRequest,
  path: string,
  namespace: string,
  was: RecordedReply,
  faults: readonly StatusFault[],
): Pick<StatusFault, 'isCarriedOut'> | undefined {
  if (was.status < 400 || !('body' in was)) return undefined
  const { message } = (jsonOf(`${was.body}`) ?? {}) as { readonly message?: unknown }
  const operationId = operationOf(method, path)
  const acted = faults.filter(
    (fault) =>
      fault.status === was.status &&
      fault.message === message &&
      (fault.namespace ?? namespace) === namespace &&
      (fault.operationId ?? operationId) === operationId,
  )
  if (acted.length > 0) return { isCarriedOut: acted.some(({ isCarriedOut }) => isCarriedOut) }
  return message === INJECTED ? { isCarriedOut: false } : undefined
}

/** The operations of the interface; those that an overlay adds have no name here. */
function operationOf(method: string, path: string): string | undefined {
  if (method === 'GET') return /^\/pets(?:\?|$)/.test(path) ? 'listPets' : 'getPet'
  return method === 'POST' ? 'createPet' : undefined
}
