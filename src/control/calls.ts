import type { Side } from '../contract/generated/control.types.d.ts'
import type { Operation } from '../contract/openapi/contract.ts'
import type { DetachedDeps } from '../past/repeat.ts'
import { firstCharacters } from '../text/shorten.ts'
import { type Eventually, oneByOne, whenReady } from '../time/eventually.ts'
import { ApiError } from '../world/api-error.ts'
import type { Command } from '../world/command.ts'
import { maskKey, maskWords } from '../world/keys/secrets.ts'
import { CALLER_HEADER, CONTROL_PATH } from '../world/traffic/address.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import { fieldValue, isRead, type Reply } from '../world/traffic/message.ts'
import type { World } from '../world/world.ts'
import { callWords } from './call-words.ts'
import type { ControlContext, ControlDeps, WorldAt } from './context.ts'
import { NEEDS_PAST, pastOf, worldAt } from './history.ts'
import { keyParts } from './match.ts'
import type { AnyApply, AnyCommand, AnyHandler, InCommand, OperationId } from './operation.ts'
import { targetOf } from './read-call.ts'
import { attempt } from './reply.ts'
import { StateChanges, Subscribers } from './state-changes.ts'

/** A request after reading and validation. */
export interface ReadCall extends Pick<ControlContext, 'request' | 'namespace' | 'due'> {
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

/**
 * Carries out the calls of the control API: a call that may change something is a command. The returned function gives
 * the reply once every change is durable that it may depend on. Long seeds are read one after the other: the values of a
 * body take several times its memory.
 */
export function createCalls(deps: ControlDeps) {
  const { worlds, apply, durable, realTime } = deps
  const changes = new StateChanges(deps.onChange)
  const recorded = new Subscribers<Exchange>()
  const waiting = new Set<() => void>()
  const serially = oneByOne()
  const longSeeds = oneByOne()
  worlds.onRoomMade = (name) => changes.emit(name, { changed: ['requests'] })
  deps.subscribers.add((exchange) => recorded.emit(exchange.namespace, exchange))
  deps.shutdown.addEventListener('abort', () => {
    for (const end of waiting) end()
  })

  return (read: () => Eventually<ReadCall>, handler: AnyHandler, isLongSeed: boolean): Eventually<Reply> => {
    const answer = () =>
      whenReady(read(), (call) => whenReady(act(call, handler), (reply) => ({ reply, call })))
    return whenReady(isLongSeed ? longSeeds(answer) : answer(), ({ reply, call }) => whenDurable(reply, call))
  }

  function act(call: ReadCall, handler: AnyHandler): Eventually<Reply> {
    const { request, operation } = call
    if (NEEDS_PAST.test(operation.path)) pastOf(deps)
    if ('observe' in handler) return handler.observe(contextOf(call, readingScope()))
    if (isRead(request)) return answerRead(handler as AnyApply, call)
    const changing: AnyCommand = typeof handler === 'function' ? { command: handler } : handler
    if (!changing.isSerial) return prepareAndApply(changing, call)
    return serially(() => prepareAndApply(changing, call))
  }

  /** Answers a call that only reads. It creates no namespace. */
  function answerRead(answer: AnyApply, call: ReadCall): Eventually<Reply> {
    const { request, query, namespace } = call
    const { at, side = 'after' } = query as { readonly at?: string; readonly side?: Side }
    const make = (seen?: CallScope['seen']) => contextOf(call, { ...readingScope(realTime()), seen })
    if (at === undefined || namespace === '*')
      return apply(request, () => attempt(deps, () => answer(make())))
    const seeing = async () => answer(make(await worldAt(make(), at, side)))
    return apply(request, () => attempt(deps, seeing), true)
  }

  function prepareAndApply(handler: AnyCommand, call: ReadCall): Eventually<Reply> {
    const { past, isAlone } = handler
    const durably = (made: Eventually<Reply>) =>
      attempt(deps, () => whenReady(made, (reply) => whenDurable(reply, call)))
    const applied = (change: AnyApply, sent = call.request) =>
      apply(sent, (command) => perform(command, call, change, past), isAlone, durably)
    if ('command' in handler) return applied(handler.command)
    return handler.prepare(contextOf(call, readingScope())).then(
      (ready) => applied(ready.apply, ready.request),
      // The command is still applied: it changes nothing and answers with the error.
      (error) =>
        applied(() => {
          throw error
        }),
    )
  }

  /** Applies a call that may change something, and adds it, without its connection, to the history of its namespace. */
  function perform(command: Command, sent: ReadCall, change: AnyApply, past: AnyCommand['past']) {
    command.dropConnection()
    const call = { ...sent, request: command.request ?? sent.request }
    const actIn = (scope: CallScope) => change(contextOf(call, scope))
    const called = describe(command, call)
    if (past === undefined)
      called.again = (detached: DetachedDeps) =>
        attempt(deps, () => actIn(detachedScope(command, deps, detached)))
    const real = realTime()
    const created: string[] = []
    const findOrCreate: FindWorld = (name) => {
      if (!worlds.find(name)) created.push(name)
      return worlds.get(name, real)
    }
    const find = past === 'none' ? findOrCreate : findAndBegin(command, findOrCreate)
    let isStored = false
    const watched = watchedStore(deps, () => {
      isStored = true
    })
    const reply = attempt(
      deps,
      () => {
        if (command.refusal) throw command.refusal
        return actIn({ deps: watched, changes, real, find, command })
      },
      (error) => {
        // A call with a point has changed something that could not be stored.
        if (called.id === undefined) called.again = undefined
        command.noteRefusal(error)
        for (const name of created) worlds.dropUnchanged(name)
      },
    )
    return whenReady(reply, (reply) => {
      if (!called.again) called.reply = reply
      noteDue(command, call, !isStored && reply.status < 400)
      return reply
    })
  }

  /** Sets the words of a command in the history. */
  function describe(command: Command, call: ReadCall): ReturnType<Command['asCall']> {
    const { secrets } = worlds.default.keys
    const { operation, request, namespace } = call
    const nameOf = (key: string) =>
      worlds.keysOf(namespace).names.get(keyParts(key, deps).key) ?? maskKey(key)
    const { what, line } = callWords(operation.id as OperationId, call as never, nameOf) ?? {}
    const called = command.asCall()
    called.keyName = call.params.key && nameOf(call.params.key)
    called.what = secrets.mask(what ?? `${request.method} ${CONTROL_PATH}${targetOf(request).path}`)
    // With a masked word, it would be another command.
    called.line = line && maskWords(line, secrets).every((word, i) => word === line[i]) ? line : undefined
    const agent = fieldValue(request.headers, 'user-agent')?.split(' ', 1)[0] ?? ''
    called.caller = firstCharacters(secrets.mask(fieldValue(request.headers, CALLER_HEADER) ?? agent), 64)
    return called
  }

  /** Notes what the reply to a command waits for. `isInEffect`: it stays even if earlier changes are not stored. */
  function noteDue(command: Command, { namespace, due: noted }: ReadCall, isInEffect: boolean): void {
    // Asked at once: a store may undo the change before the reply is ready.
    const due = durable(namespace)
    noted.push(isInEffect ? due?.catch(() => {}) : due)
    if (isInEffect) return
    due?.catch((error) => {
      command.noteRefusal(error)
      changes.emit(namespace, { changed: ['pets', 'keys'] })
    })
  }

  /**
   * Returns the reply once every change is durable that it may depend on: for a read, those of its namespace and of this
   * turn; for a command, those that it noted, which do not fail with a change of another namespace.
   */
  function whenDurable(reply: Reply, { namespace, due: noted }: ReadCall): Eventually<Reply> {
    const all = noted.length > 0 ? noted : [durable(), durable(namespace)]
    const due = all.filter((each) => each !== undefined)
    return due.length === 0 ? reply : Promise.all(due).then(() => reply)
  }

  function readingScope(real = deps.clock()): CallScope {
    return { deps, changes, real, find: (name) => worlds.peek(name, real) }
  }

  function contextOf(call: ReadCall, { find, seen, command, ...scope }: CallScope): InCommand<never> {
    const { namespace, params, query, body } = call
    const world = (name = namespace) => find(name)
    return {
      ...call,
      ...scope,
      world,
      view() {
        if (query.side !== undefined && query.at === undefined)
          throw new ApiError('invalid_parameter', 'side is valid only with at, the id of a point')
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

/** The parts of the sandbox for one command; `onStored` is called with each change that it stores. */
const watchedStore = (deps: ControlDeps, onStored: () => void): ControlDeps => ({
  ...deps,
  commit(...change) {
    onStored()
    deps.commit(...change)
  },
  drop(world) {
    onStored()
    deps.drop(world)
  },
})

/** The scope of a command that is applied again, to a detached world. */
function detachedScope(command: Command, deps: ControlDeps, detached: DetachedDeps): CallScope {
  const real = detached.realTime()
  const own = { clock: detached.realTime, durable: () => undefined, closeReusedConnections: async () => {} }
  const find = findAndBegin(command, (name) => detached.worlds.get(name, real))
  return { deps: { ...deps, ...detached, ...own }, changes: new StateChanges(), real, find, command }
}
