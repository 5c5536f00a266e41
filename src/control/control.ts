import type { Side } from '../contract/generated/control.types.d.ts'
import type { Operation, Resolution } from '../contract/openapi/contract.ts'
import { type QueryReading, readQuery } from '../contract/openapi/read-request.ts'
import type { DetachedDeps } from '../past/repeat.ts'
import { type Eventually, whenReady } from '../time/eventually.ts'
import { ApiError, internalError } from '../world/api-error.ts'
import type { Command } from '../world/command.ts'
import { NAMESPACE_FORM } from '../world/keys/bearer-token.ts'
import { maskKey, maskWords } from '../world/keys/secrets.ts'
import { CONTROL_PATH } from '../world/traffic/address.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import { type Handle, isRead, type Reply, type Request } from '../world/traffic/message.ts'
import type { World } from '../world/world.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import { browserRules } from './browser-rules.ts'
import { callWords } from './call-words.ts'
import type { ControlContext, ControlDeps, WorldAt } from './context.ts'
import { createGuard, guardCostlyRead } from './guard.ts'
import { NEEDS_PAST, pastOf, worldAt } from './history.ts'
import type { AnyApply, AnyCommand, AnyHandler, InCommand, OperationId } from './operation.ts'
import { controlOperations } from './operations.ts'
import { bodyOf, readValues, routed, targetOf } from './read-call.ts'
import { NO_CONTENT, refusalReply, withNewNamespace } from './reply.ts'
import { StateChanges, Subscribers } from './state-changes.ts'

const handlers: Readonly<Record<string, AnyHandler>> = controlOperations

/** Calls whose replies can be long: they grow with the stored data. */
const COSTLY_READS: readonly string[] = [
  'diffStates',
  'exportNamespace',
  'getRecording',
  'getSnapshot',
  'getState',
  'listHistory',
  'listRequests',
] satisfies (keyof typeof controlOperations)[]

/** A request after reading and validation. */
interface Call extends Pick<ControlContext, 'request' | 'namespace' | 'due'> {
  readonly operation: Operation
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
}

type FindWorld = (name: string) => World

/** The parts of the sandbox, the worlds and the instant that a call acts on. */
interface CallScope extends Pick<ControlContext, 'deps' | 'changes' | 'real'> {
  readonly find: FindWorld
  /** Undefined in `prepare`, and for a call that only observes. */
  readonly command?: Command
  /** The world at the point that `at` names. */
  readonly seen?: WorldAt | undefined
}

/** Answers the control API: its contract is the router, its operations act on the worlds. */
export function createControl(deps: ControlDeps): Handle {
  const rules = browserRules(deps.origins)
  const guard = createGuard(deps.token)
  const changes = new StateChanges(deps.onChange)
  const recorded = new Subscribers<Exchange>()
  const waiting = new Set<() => void>()
  let serial: Promise<unknown> = Promise.resolve()
  /** Whether a request may come from an unrelated web page: the control API has no token then. */
  const mayBeForeign = () => deps.token === undefined && !deps.trusted()
  deps.subscribers.add((exchange) => recorded.emit(exchange.namespace, exchange))
  deps.shutdown.addEventListener('abort', () => {
    for (const end of waiting) end()
  })
  return (request) =>
    whenReady(rules.preflight(request) ?? answer(request), (reply) => rules.decorate(request, reply))

  function answer(request: Request): Eventually<Reply> {
    const { path, query } = targetOf(request)
    const resolution = deps.contract.resolve(request.method, path)
    const reply = attempt(() => {
      admit(request, resolution.operation)
      const operation = routed(request, resolution)
      if (!operation) return { ...NO_CONTENT, headers: ['Allow', resolution.route?.allow ?? ''] }
      const sent = readQuery(operation, query)
      const answered = attempt(() =>
        whenReady(read(request, operation, resolution, sent), (call) =>
          whenReady(carryOut(call), (ready) => whenDurable(ready, call)),
        ),
      )
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
    return whenReady(bodyOf(request, operation, deps.slices), (body): Call => ({ ...call, body }))
  }

  function carryOut(call: Call): Eventually<Reply> {
    const { request, operation } = call
    const handler = handlers[operation.id] as AnyHandler
    if (NEEDS_PAST.test(operation.path)) pastOf(deps)
    if ('observe' in handler) return handler.observe(context(call, readingScope()))
    if (isRead(request)) return answerRead(handler as AnyApply, call)
    const changing: AnyCommand = typeof handler === 'function' ? { command: handler } : handler
    if (!changing.isSerial) return prepareAndApply(changing, call)
    const turn = serial.then(() => prepareAndApply(changing, call))
    serial = turn.catch(() => {})
    return turn
  }

  function prepareAndApply(handler: AnyCommand, call: Call): Eventually<Reply> {
    const { past, isAlone } = handler
    const apply = (act: AnyApply, sent = call.request) =>
      deps.apply(sent, (command) => perform(command, call, act, past), isAlone)
    if ('command' in handler) return apply(handler.command)
    return handler.prepare(context(call, readingScope())).then(
      (ready) => apply(ready.apply, ready.request),
      // The command is still applied: it changes nothing and answers with the error.
      (error) =>
        apply(() => {
          throw error
        }),
    )
  }

  /** Applies a call that may change something, and adds it, without its connection, to the history of its namespace. */
  function perform(command: Command, sent: Call, act: AnyApply, past: AnyCommand['past']): Eventually<Reply> {
    command.dropConnection()
    const call = { ...sent, request: command.request ?? sent.request }
    const actIn = (scope: CallScope) => act(context(call, scope))
    const nameOf = (key: string) => deps.worlds.keysOf(call.namespace).names.get(key) ?? maskKey(key)
    const words = callWords(call.operation.id as OperationId, call as never, nameOf)
    const { secrets } = deps.worlds.default.keys
    const called = command.asCall()
    called.what = secrets.mask(
      words?.what ?? `${call.request.method} ${CONTROL_PATH}${targetOf(call.request).path}`,
    )
    // With a masked word, it would be another command.
    const { line } = words ?? {}
    called.line = line && maskWords(line, secrets).every((word, i) => word === line[i]) ? line : undefined
    if (past === undefined)
      called.again = (detached: DetachedDeps) => attempt(() => actIn(detachedScope(command, deps, detached)))
    const real = deps.realTime()
    const created: string[] = []
    const findOrCreate: FindWorld = (name) => {
      if (!deps.worlds.find(name)) created.push(name)
      return deps.worlds.get(name, real)
    }
    const find = past === 'none' ? findOrCreate : findAndBegin(command, findOrCreate)
    const scope = { deps, changes, real, find, command }
    const reply = attempt(
      () => {
        if (command.refusal) throw command.refusal
        return actIn(scope)
      },
      (error) => {
        called.again = undefined
        command.noteRefusal(error)
        for (const name of created) deps.worlds.dropUnchanged(name)
      },
    )
    return whenReady(reply, (reply) => {
      if (!called.again) called.reply = reply
      // Asked at once: a store may undo the change before the reply is ready.
      const due = deps.durable(call.namespace)
      call.due.push(deps.durable(), due)
      due?.catch((error) => {
        command.noteRefusal(error)
        changes.emit(call.namespace, { changed: ['pets', 'keys'] })
      })
      return reply
    })
  }

  /** Answers a call that only reads. It creates no namespace. */
  function answerRead(act: AnyApply, call: Call): Eventually<Reply> {
    const { request, query, namespace } = call
    const { at, side = 'after' } = query as { readonly at?: string; readonly side?: Side }
    const make = (seen?: CallScope['seen']) => context(call, { ...readingScope(deps.realTime()), seen })
    if (at === undefined || namespace === '*') return deps.apply(request, () => attempt(() => act(make())))
    const seeing = async () => act(make(await worldAt(make(), at, side)))
    return deps.apply(request, () => attempt(seeing), true)
  }

  function readingScope(real = deps.clock()): CallScope {
    const { worlds } = deps
    return { deps, changes, real, find: (name) => worlds.peek(name, real) }
  }

  function context(call: Call, { find, seen, command, ...scope }: CallScope): InCommand<never> {
    const { namespace, params, query, body } = call
    const world = (name = namespace) => find(name)
    return {
      ...call,
      ...scope,
      world,
      view() {
        if (query.side !== undefined && query.at === undefined)
          throw new ApiError('invalid_parameter', 'side needs at: the id of a point')
        return seen ?? { world: world(), real: scope.real }
      },
      command: command as Command,
      recorded,
      waiting,
      params: params as never,
      query: query as never,
      body: body as never,
    }
  }

  /** Adds a header field to the reply to a read whose namespace does not exist. */
  function markNew(reply: Reply, request: Request, operation: Operation, { values }: QueryReading): Reply {
    const onlyReads = isRead(request) || 'observe' in (handlers[operation.id] as AnyHandler)
    const { namespace } = values as { readonly namespace?: string }
    const isNew = onlyReads && namespace && !deps.worlds.find(namespace) && NAMESPACE_FORM.test(namespace)
    return isNew ? withNewNamespace(reply) : reply
  }

  /**
   * Returns the reply once every change is durable that it may depend on: those of this turn, and those of its namespace.
   * It does not wait for other namespaces, which may be storing many pets.
   */
  function whenDurable(reply: Reply, { namespace, due: own }: Call): Eventually<Reply> {
    const { durable } = deps
    const due = [durable(), durable(namespace), ...own].filter((each) => each !== undefined)
    return due.length === 0 ? reply : Promise.all(due).then(() => reply)
  }

  /** `refused`: called if `act` throws or rejects. */
  function attempt(act: () => Eventually<Reply>, refused = (_error: unknown) => {}): Eventually<Reply> {
    const refuse = (error: unknown) => {
      refused(error)
      return refusalOf(error)
    }
    try {
      const reply = act()
      return reply instanceof Promise ? reply.catch(refuse) : reply
    } catch (error) {
      return refuse(error)
    }
  }

  function refusalOf(error: unknown): Reply {
    // An invalid fixture is answered as an invalid request.
    if (error instanceof Error && error.name === 'FixtureError')
      return refusalReply(new ApiError('invalid_body', error.message))
    if (error instanceof ApiError)
      return { ...refusalReply(error), ...(error.code === 'body_too_large' && { close: true }) }
    deps.onFailure(error)
    return refusalReply(internalError())
  }
}

/** Finds the world of a command, and adds the command to its history. */
function findAndBegin(command: Command, find: FindWorld): FindWorld {
  let begun: World | undefined
  return (name) => {
    const world = find(name)
    if (begun !== world) world.beginCall(command)
    begun = world
    return world
  }
}

/** The scope of a command that is applied again, to a detached world. */
function detachedScope(command: Command, deps: ControlDeps, detached: DetachedDeps): CallScope {
  const real = detached.realTime()
  const own = { clock: detached.realTime, durable: () => undefined, closeReusedConnections: async () => {} }
  const find = findAndBegin(command, (name) => detached.worlds.get(name, real))
  return { deps: { ...deps, ...detached, ...own }, changes: new StateChanges(), real, find, command }
}

/** A stream is dropped too. */
const withoutBody = ({ status, headers }: Reply): Reply => ({ status, headers, body: undefined })
