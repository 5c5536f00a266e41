import type { Eventually } from '../time/eventually.ts'
import type { ApiError } from '../world/api-error.ts'
import type { Command } from '../world/command.ts'
import { fieldValue, type Reply, type Request } from '../world/traffic/message.ts'
import { type Answer, begin, type Call, refuseIfRewound } from './call.ts'
import { type DispatchDeps, dispatch, routeNotFound } from './dispatch.ts'
import { ALLOW, isDocument } from './documents.ts'
import { force } from './force.ts'
import { identify, isAdmitted } from './identify.ts'
import { inject, pickFault } from './inject.ts'
import { REQUEST_BODY_LIMIT } from './input.ts'
import { meter } from './meter.ts'
import { isMocked } from './operations.ts'
import { options } from './options.ts'
import { attempt, handle, type PipelineDeps, refused, type Steps, unrecorded } from './pipeline.ts'
import { isInside, resolve, unrecordedCommand } from './resolve.ts'

export interface EngineDeps extends PipelineDeps, DispatchDeps {
  /** Loads Prism; undefined if it is loaded. */
  readonly loadMocks: () => Promise<void> | undefined
  /** Real time in milliseconds since the epoch, for requests that are not commands. */
  readonly clock: () => number
  /** Answers requests for documents. */
  readonly documents: (call: Call) => Eventually<Answer>
}

export type Engine = ReturnType<typeof createEngine>

export function createEngine(deps: EngineDeps) {
  const { contract, policy, worlds } = deps
  const declared = [...contract.operations.values()]
  const mocksRoutes = declared.some((operation) => isMocked(operation, policy))
  const hasOpen = declared.some(({ isOpen }) => isOpen)
  const callOf = (request: Request): Call =>
    resolve(unrecordedCommand(request, deps.clock()), contract, worlds.default)
  const isMockedCall = ({ operation }: Call) => operation !== undefined && isMocked(operation, policy)
  const steps: Steps = { answer: (call) => options(call, policy) ?? admit(call, deps) }
  const document: Steps['answer'] = (call) => options(call, policy, ALLOW) ?? deps.documents(call)
  return {
    /** Loads what a request needs before it is handled; undefined if nothing is needed. Changes nothing. */
    prepare(request: Request): Promise<void> | undefined {
      const isMocking = fieldValue(request.headers, 'prefer') !== undefined
      return isMocking || (mocksRoutes && isMockedCall(callOf(request))) ? deps.loadMocks() : undefined
    },
    /** Answers a request, in the steps of ARCHITECTURE.md. */
    handle: (command: Command) => handle(command, deps, steps),
    /** Answers a request for a document, which is not a command and changes no world. Undefined for other requests. */
    document: (request: Request): Eventually<Reply> | undefined =>
      isDocument(request) ? unrecorded(callOf(request), deps, document) : undefined,
    /** The response to a request of no namespace; without `request`, to bytes that are not a valid HTTP request. */
    refuse: (problem: ApiError, request?: Request): Reply => refused(problem, deps.clock(), deps, request),
    /** The largest body that is read for a request; undefined if its head decides the answer, as without a valid key. */
    bodyLimit(request: Request): number | undefined {
      const { method, target, headers } = request
      if (method === 'OPTIONS' || !isInside(target)) return undefined
      if (isAdmitted(headers, worlds, deps.realTime())) return REQUEST_BODY_LIMIT
      return hasOpen && isAnonymous(callOf(request)) ? REQUEST_BODY_LIMIT : undefined
    },
  }
}

/** Whether a request without a key is for an operation that needs none (`security: []`): it belongs to `default`. */
const isAnonymous = ({ operation, request }: Call): boolean =>
  operation?.isOpen === true && fieldValue(request.headers, 'authorization') === undefined

/** Identifies and meters the caller, then answers, unless a fault is injected. */
function admit(call: Call, deps: EngineDeps): Eventually<Answer> {
  const { policy, worlds } = deps
  if (!call.inside) throw routeNotFound(call)
  const caller = isAnonymous(call) ? undefined : identify(call, worlds)
  call.world.admitted = true
  begin(call)
  if (caller) meter(call, caller, policy)
  const acted = pickFault(call)
  if (!acted) return preferred(call, deps)
  const steps = {
    answer: () => attempt(call, deps, () => answer(call, deps)),
    preferred: () => attempt(call, deps, () => preferred(call, deps)),
  }
  return inject(call, acted, steps, deps)
}

/** The answer that `Prefer` asks for, or else that of the operation. */
function preferred(call: Call, deps: EngineDeps): Eventually<Answer> {
  return force(call, deps.mock, deps.policy) ?? answer(call, deps)
}

/** The answer of the operation, unless the world was rewound during the delay of a fault. */
function answer(call: Call, deps: EngineDeps): Eventually<Answer> {
  refuseIfRewound(call)
  return dispatch(call, deps)
}
