import type { Operation, Resolution } from '../contract/openapi/contract.ts'
import type { CallEffect } from '../past/commands.ts'
import { whenReady } from '../time/eventually.ts'
import { ApiError } from '../world/api-error.ts'
import type { Side } from '../world/history.ts'
import { NAMESPACE_FORM } from '../world/keys/key.ts'
import { viewAt } from '../world/rewind.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import type { Handle, Reply, Request } from '../world/traffic/message.ts'
import type { World } from '../world/world.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import { browserRules } from './browsers.ts'
import type { ControlDeps } from './context.ts'
import { CONTROL_PATH } from './control-path.ts'
import { createGuard, guardCostlyRead, guardNewNamespace } from './guard.ts'
import type { AnyApply, AnyCommand, AnyHandler, AnyPrepare, OperationContext } from './operation.ts'
import { controlOperations } from './operations.ts'
import { bodyOf, readValues, routed, targetOf } from './read-call.ts'
import { NO_CONTENT, refusalReply } from './reply.ts'
import { StateChanges } from './state-changes.ts'
import { Subscribers } from './subscribers.ts'

type FindWorld = (name: string, real: number) => World
type MakeContext = (real: number, find: FindWorld) => OperationContext<never>

const handlers: Readonly<Record<string, AnyHandler>> = controlOperations

/** Open to everyone: what the headers of the API link to, and the files of the page, which hold no data. */
const OPEN_TO_ALL = ['getDeprecationNotes', 'getInspector', 'getInspectorAsset', 'getReference']

/** Their replies grow with what is kept. */
const COSTLY_READS = [
  'diffStates',
  'exportNamespace',
  'getRecording',
  'getSnapshot',
  'getState',
  'listHistory',
  'listRequests',
]

/** Answers the control API: its contract is the router, its operations act on the worlds. */
export function createControl(deps: ControlDeps): Handle {
  const { contract } = deps
  const guard = createGuard(deps.token)
  const changes = new StateChanges(deps.onChange)
  let serial: Promise<unknown> = Promise.resolve()
  const recorded = new Subscribers<Exchange>()
  const waiting = new Set<() => void>()
  deps.shutdown.addEventListener('abort', () => {
    for (const end of waiting) end()
  })
  deps.subscribers.add((exchange) => recorded.notify(exchange.namespace, exchange))
  const browsers = browserRules(deps.origins)
  const look = deps.worlds.peek.bind(deps.worlds)
  return (request) => {
    const reply = browsers.preflight(request) ?? guarded(request)
    return reply instanceof Promise
      ? reply.then((ready) => browsers.decorate(request, ready))
      : browsers.decorate(request, reply)
  }

  function guarded(request: Request): Reply | Promise<Reply> {
    const { path, query } = targetOf(request)
    const resolution = contract.resolve(request.method, path)
    try {
      const id = resolution.operation?.id ?? ''
      if (!OPEN_TO_ALL.includes(id) && !deps.trusted(request)) guard(request)
      if (COSTLY_READS.includes(id) && isGuarded(request)) guardCostlyRead(request)
      const answered = answer(request, resolution, query)
      const held =
        answered instanceof Promise ? answered.then((ready) => hold(ready, query)) : hold(answered, query)
      const reply = held instanceof Promise ? held.catch(refuse) : held
      return request.method === 'HEAD' ? Promise.resolve(reply).then(withoutBody) : reply
    } catch (error) {
      return refuse(error)
    }
  }

  /**
   * Holds a reply until what it may have seen is durable: what this turn has changed, and its namespace. It does not wait
   * for others whose many new pets are being written.
   */
  function hold(reply: Reply, query: string): Reply | Promise<Reply> {
    const namespace = new URLSearchParams(query).get('namespace') ?? DEFAULT_NAMESPACE
    const due = [deps.durable(), deps.durable(namespace)].filter((each) => each !== undefined)
    return due.length === 0 ? reply : Promise.all(due).then(() => reply)
  }

  /** Whether it may come from a page that has nothing to do with this sandbox. */
  function isGuarded(request: Request): boolean {
    return deps.token === undefined && !deps.trusted(request)
  }

  function answer(request: Request, resolution: Resolution, query: string): Reply | Promise<Reply> {
    const operation = routed(request, resolution)
    if (!operation) return { ...NO_CONTENT, headers: ['Allow', resolution.route?.allow ?? ''] }
    const handler = handlers[operation.id]
    if (!handler) throw new Error(`The control API has no operation ${operation.id}`)
    const make = contextOf(request, operation, resolution, query)
    const replied = whenReady(bodyOf(request, operation, deps.slices), (body) =>
      carryOut(handler, request, (real, find) => make(real, find, body)),
    )
    const isLook = 'observe' in handler || isRead(request)
    return isLook ? whenReady(replied, (reply) => marked(reply, operation, query)) : replied
  }

  /** Says that the namespace does not exist that a call was to read from: nothing is made by reading. */
  function marked(reply: Reply, operation: Operation, query: string): Reply {
    if (!operation.query.some(({ name }) => name === 'namespace')) return reply
    const name = new URLSearchParams(query).get('namespace') ?? DEFAULT_NAMESPACE
    if (deps.worlds.find(name) || !NAMESPACE_FORM.test(name)) return reply
    return { ...reply, headers: [...reply.headers, 'X-Sandbox-Namespace', 'new'] }
  }

  function carryOut(operation: AnyHandler, request: Request, make: MakeContext): Reply | Promise<Reply> {
    const looking = () => make(deps.clock(), look)
    if ('observe' in operation) return operation.observe(looking())
    const apply = (sent: Request, handler: AnyApply) =>
      deps.apply(
        sent,
        () => attempt(() => handler(make(deps.realTime(), isRead(request) ? look : worldOfCall(request)))),
        isRead(request) ? READS : effectOf(operation as AnyCommand, looking()),
      )
    if (typeof operation === 'function') return apply(request, operation)
    const carriedOut = (): Reply | Promise<Reply> => {
      if (operation.command) return apply(request, operation.command)
      return preparedBy(operation.prepare as AnyPrepare, looking()).then((ready) =>
        apply(ready.request ?? request, ready.apply),
      )
    }
    if (!operation.isSerial) return carriedOut()
    const turn = serial.then(carriedOut)
    serial = turn.catch(() => {})
    return turn
  }

  /** Finds the world of a command, makes it where there is none, and reports the start of the call to its history once. */
  function worldOfCall(request: Request): FindWorld {
    let started: World | undefined
    return (name, real) => {
      if (isGuarded(request) && !deps.worlds.find(name)) guardNewNamespace(request)
      const world = deps.worlds.get(name, real)
      if (started !== world)
        world.beginCall(`${request.method} ${CONTROL_PATH}${targetOf(request).path}`, request.headers, real)
      started = world
      return world
    }
  }

  function attempt(act: () => Reply | Promise<Reply>): Reply | Promise<Reply> {
    try {
      const reply = act()
      return reply instanceof Promise ? reply.catch(refuse) : reply
    } catch (error) {
      return refuse(error)
    }
  }

  function contextOf(
    request: Request,
    operation: Operation,
    { params }: Resolution,
    query: string,
  ): (real: number, find: FindWorld, body: unknown) => OperationContext<never> {
    const values = readValues(operation, query)
    const namespace = (values.namespace as string | undefined) ?? DEFAULT_NAMESPACE
    return (real, find, body) => ({
      deps,
      request,
      params,
      query: values,
      body: body as never,
      real,
      namespace,
      world: () => find(namespace, real),
      view() {
        const { at, side = 'after' } = values as { readonly at?: string; readonly side?: Side }
        if (at === undefined) {
          if (values.side !== undefined)
            throw new ApiError('invalid_parameter', 'side needs at: the id of a point')
          return { world: this.world(), real }
        }
        const world = this.world()
        const position = world.history.find(at, side)
        return { world: viewAt(world, position), real: position.real }
      },
      changes,
      recorded,
      waiting,
    })
  }

  function refuse(error: unknown): Reply {
    if (error instanceof ApiError)
      return { ...refusalReply(error), ...(error.code === 'body_too_large' && { close: true }) }
    deps.onFailure(error)
    return refusalReply(new ApiError('internal_error', 'The sandbox failed to answer; its log says why.'))
  }
}

/** Reading changes nothing. */
const READS: CallEffect = {}

const effectOf = ({ effect }: AnyCommand, context: OperationContext<never>): CallEffect =>
  effect?.(context) ?? { namespace: context.namespace }

/** A failure of `prepare` is the answer to the command, which then changes nothing. */
async function preparedBy(
  prepare: AnyPrepare,
  context: OperationContext<never>,
): Promise<{ readonly apply: AnyApply; readonly request?: Request }> {
  try {
    return await prepare(context)
  } catch (error) {
    const apply = (): never => {
      throw error
    }
    return { apply }
  }
}

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'

/** Nothing is streamed to HEAD either. */
const withoutBody = ({ status, headers }: Reply): Reply => ({ status, headers, body: undefined })
