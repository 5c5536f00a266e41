import type { Operation, Resolution } from '../contract/openapi/contract.ts'
import { whenReady } from '../time/eventually.ts'
import { ApiError } from '../world/api-error.ts'
import type { Command } from '../world/command.ts'
import { NAMESPACE_FORM } from '../world/keys/key.ts'
import type { Side } from '../world/past.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import type { Handle, Reply, Request } from '../world/traffic/message.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import { browserRules } from './browsers.ts'
import { beginning, type FindWorld, type Place, repeatable, sayCall } from './call.ts'
import { callWords } from './call-words.ts'
import type { ControlContext, ControlDeps } from './context.ts'
import { createGuard, guardCostlyRead, guardNewNamespace } from './guard.ts'
import type { AnyApply, AnyCommand, AnyHandler, AnyPrepare, OperationContext } from './operation.ts'
import { controlOperations } from './operations.ts'
import { bodyOf, readValues, routed, targetOf } from './read-call.ts'
import { NO_CONTENT, refusalReply } from './reply.ts'
import { seenAt } from './seen.ts'
import { StateChanges } from './state-changes.ts'
import { Subscribers } from './subscribers.ts'

type MakeContext = (place: Place) => OperationContext<never>

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
  const look: FindWorld = (name, real) => deps.worlds.peek(name, real)
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
      const due: ControlContext['due'] = []
      const answered = answer(request, resolution, query, due)
      const held = whenReady(answered, (ready) => hold(ready, query, due))
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
  function hold(reply: Reply, query: string, own: ControlContext['due']): Reply | Promise<Reply> {
    const namespace = new URLSearchParams(query).get('namespace') ?? DEFAULT_NAMESPACE
    const due = [deps.durable(), deps.durable(namespace), ...own].filter((each) => each !== undefined)
    return due.length === 0 ? reply : Promise.all(due).then(() => reply)
  }

  /** Whether it may come from a page that has nothing to do with this sandbox. */
  function isGuarded(request: Request): boolean {
    return deps.token === undefined && !deps.trusted(request)
  }

  function answer(
    request: Request,
    resolution: Resolution,
    query: string,
    due: ControlContext['due'],
  ): Reply | Promise<Reply> {
    const operation = routed(request, resolution)
    if (!operation) return { ...NO_CONTENT, headers: ['Allow', resolution.route?.allow ?? ''] }
    const handler = handlers[operation.id]
    if (!handler) throw new Error(`The control API has no operation ${operation.id}`)
    const make = contextOf(request, operation, resolution, query, due)
    const replied = whenReady(bodyOf(request, operation, deps.slices), (body) =>
      carryOut(handler, request, (place) => make(place, body), operation.id),
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

  function carryOut(
    operation: AnyHandler,
    request: Request,
    make: MakeContext,
    id: string,
  ): Reply | Promise<Reply> {
    const looking = () => make({ deps, changes, real: deps.clock(), find: look })
    if ('observe' in operation) return operation.observe(looking())
    if (isRead(request)) return read(operation as AnyApply, request, make)
    const { command: handler, prepare, past, isSerial, isAlone } = factsOf(operation)
    const apply = (sent: Request, act: AnyApply) =>
      deps.apply(
        sent,
        (command) => {
          sayCall(command, request, callWords(id, looking()), deps)
          return applyCall(command, request, (place) => act(make(place)), past)
        },
        isAlone,
      )
    const carriedOut = (): Reply | Promise<Reply> => {
      if (handler) return apply(request, handler)
      return preparedBy(prepare as AnyPrepare, looking()).then((ready) =>
        apply(ready.request ?? request, ready.apply),
      )
    }
    if (!isSerial) return carriedOut()
    const turn = serial.then(carriedOut)
    serial = turn.catch(() => {})
    return turn
  }

  /** Reading changes nothing, and makes no namespace. */
  function read(act: AnyApply, request: Request, make: MakeContext): Reply | Promise<Reply> {
    const place = () => ({ deps, changes, real: deps.realTime(), find: look })
    const { query } = make(place())
    const { at, side = 'after', namespace } = query as { at?: string; side?: Side; namespace?: string }
    if (at === undefined || namespace === '*')
      return deps.apply(request, () => attempt(() => act(make(place()))))
    const seeing = async () => act(make({ ...place(), seen: await seenAt(make(place()), at, side) }))
    return deps.apply(request, () => attempt(seeing), true)
  }

  /** Applies a call that may change something: it belongs to the past of its namespace. */
  function applyCall(
    command: Command,
    request: Request,
    act: (place: Place) => Reply | Promise<Reply>,
    past: AnyCommand['past'],
  ): Reply | Promise<Reply> {
    if (past === undefined) repeatable(command, deps, (place) => attempt(() => act(place)))
    const guarded: FindWorld = (name, real) => {
      if (isGuarded(request) && !deps.worlds.find(name)) guardNewNamespace(request)
      return deps.worlds.get(name, real)
    }
    const find = past === 'none' ? guarded : beginning(command, guarded)
    const forget = () => {
      command.again = undefined
    }
    const made = attempt(() => act({ deps, changes, real: deps.realTime(), find, command }), forget)
    return whenReady(made, (reply) => {
      if (!command.again) command.reply = reply
      return reply
    })
  }

  /** `refused`: called where it is refused. */
  function attempt(act: () => Reply | Promise<Reply>, refused = () => {}): Reply | Promise<Reply> {
    const refuseIt = (error: unknown) => {
      refused()
      return refuse(error)
    }
    try {
      const reply = act()
      return reply instanceof Promise ? reply.catch(refuseIt) : reply
    } catch (error) {
      return refuseIt(error)
    }
  }

  function contextOf(
    request: Request,
    operation: Operation,
    { params }: Resolution,
    query: string,
    due: ControlContext['due'],
  ): (place: Place, body: unknown) => OperationContext<never> {
    const values = readValues(operation, query)
    const namespace = (values.namespace as string | undefined) ?? DEFAULT_NAMESPACE
    return ({ deps, changes, real, find, command, seen }, body) => ({
      deps,
      request,
      params,
      query: values,
      body: body as never,
      real,
      namespace,
      command: command as Command,
      due,
      world: () => find(namespace, real),
      view() {
        if (values.side !== undefined && values.at === undefined)
          throw new ApiError('invalid_parameter', 'side needs at: the id of a point')
        return seen ?? { world: this.world(), real }
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

const factsOf = (operation: AnyApply | AnyCommand): AnyCommand =>
  typeof operation === 'function' ? { command: operation } : operation

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
