import type { Operation, Resolution } from '../contract/openapi/contract.ts'
import { type QueryReading, readQuery } from '../contract/openapi/read-request.ts'
import { type Eventually, whenReady } from '../time/eventually.ts'
import { NAMESPACE_FORM } from '../world/keys/bearer-token.ts'
import { type Handle, isRead, type Reply, type Request } from '../world/traffic/message.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import { about } from './about.ts'
import { browserRules } from './browser-rules.ts'
import { createCalls, type ReadCall } from './calls.ts'
import { clock } from './clock.ts'
import type { ControlDeps } from './context.ts'
import { faults } from './faults.ts'
import { createGuard, guardCostlyRead } from './guard.ts'
import { history } from './history.ts'
import { inspector } from './inspector.ts'
import { keys } from './keys.ts'
import { namespaces } from './namespaces.ts'
import type { AnyHandler, OperationHandlers } from './operation.ts'
import { pets } from './pets.ts'
import { bodyOf, isLong, readValues, routed, targetOf } from './read-call.ts'
import { attempt, NO_CONTENT, withNewNamespace } from './reply.ts'
import { requests } from './requests.ts'
import { resending } from './resend.ts'
import { seeding } from './seed.ts'
import { snapshots } from './snapshots.ts'
import { waiting } from './wait.ts'

/** The handlers of the control API, by `operationId`. */
export const controlOperations = {
  ...about,
  ...pets,
  ...seeding,
  ...snapshots,
  ...keys,
  ...clock,
  ...faults,
  ...requests,
  ...resending,
  ...waiting,
  ...history,
  ...namespaces,
  ...inspector,
} satisfies OperationHandlers

const handlers: Readonly<Record<string, AnyHandler>> = controlOperations

/** Calls whose replies, or the work for them, grow with the stored data. */
const COSTLY_READS: readonly string[] = [
  'diffStates',
  'exportNamespace',
  'getRecording',
  'getSnapshot',
  'getState',
  'listHistory',
  'listRequests',
] satisfies (keyof typeof controlOperations)[]

/** Answers the control API: its contract is the router, its operations act on the worlds. */
export function createControl(deps: ControlDeps): Handle {
  const rules = browserRules(deps.origins)
  const guard = createGuard(deps.token)
  const carryOut = createCalls(deps)
  /** Whether a request may come from an unrelated web page: the control API has no token then. */
  const mayBeForeign = () => deps.token === undefined && !deps.trusted()
  return (request) =>
    whenReady(rules.preflight(request) ?? answer(request), (reply) => rules.decorate(request, reply))

  function answer(request: Request): Eventually<Reply> {
    const { path, query } = targetOf(request)
    const resolution = deps.contract.resolve(request.method, path)
    const reply = attempt(deps, () => {
      admit(request, resolution.operation)
      const operation = routed(request, resolution)
      if (!operation) return { ...NO_CONTENT, headers: ['Allow', resolution.route?.allow ?? ''] }
      const sent = readQuery(operation, query)
      const reading = () => read(request, operation, resolution, sent)
      const handler = handlers[operation.id] as AnyHandler
      const isLongSeed = operation.id === 'seed' && isLong(request)
      const answered = attempt(deps, () => carryOut(reading, handler, isLongSeed))
      return whenReady(answered, (ready) => markNew(ready, request, operation, sent))
    })
    return request.method === 'HEAD' ? whenReady(reply, withoutBody) : reply
  }

  /** Throws an ApiError if the request may not use the control API. */
  function admit(request: Request, operation: Operation | undefined): void {
    const refusal = operation?.isOpen || deps.trusted() ? undefined : guard(request)
    if (refusal) throw refusal
    if (operation && COSTLY_READS.includes(operation.id) && mayBeForeign()) guardCostlyRead(request)
  }

  function read(request: Request, operation: Operation, { params }: Resolution, sent: QueryReading) {
    const values = readValues(operation, sent)
    const dropped = operation.id === 'dropNamespace' ? params.name : undefined
    const { namespace = dropped ?? DEFAULT_NAMESPACE } = values as { readonly namespace?: string }
    const call = { request, operation, params, query: values, namespace, due: [] }
    return whenReady(bodyOf(request, operation, deps.slices), (body): ReadCall => ({ ...call, body }))
  }

  /** Adds a header field to the reply to a read whose namespace does not exist. */
  function markNew(reply: Reply, request: Request, operation: Operation, { values }: QueryReading): Reply {
    const onlyReads = isRead(request) || 'observe' in (handlers[operation.id] as AnyHandler)
    const { namespace } = values as { readonly namespace?: string }
    const isNew = onlyReads && namespace && !deps.worlds.find(namespace) && NAMESPACE_FORM.test(namespace)
    return isNew ? withNewNamespace(reply) : reply
  }
}

/** A stream is dropped too. */
const withoutBody = ({ status, headers }: Reply): Reply => ({ status, headers, body: undefined })
