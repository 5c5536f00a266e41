import type { Side } from '../contract/generated/control.types.d.ts'
import type { Operation } from '../contract/openapi/contract.ts'
import type { DetachedDeps } from '../past/repeat.ts'
import { type Eventually, oneByOne, whenReady } from '../time/eventually.ts'
import { ApiError } from '../world/api-error.ts'
import type { Command } from '../world/command.ts'
import { maskKey, maskWords } from '../world/keys/secrets.ts'
import { CONTROL_PATH } from '../world/traffic/address.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import { isRead, type Reply } from '../world/traffic/message.ts'
import type { World } from '../world/world.ts'
import { attempt } from './attempt.ts'
import { callWords } from './call-words.ts'
import type { ControlContext, ControlDeps, WorldAt } from './context.ts'
import { NEEDS_PAST, pastOf, worldAt } from './history.ts'
import type { AnyApply, AnyCommand, AnyHandler, InCommand, OperationId } from './operation.ts'
import { targetOf } from './read-call.ts'
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

/** Carries out the calls of the control API: a call that may change something is a command. */
export class Calls {
  readonly #deps: ControlDeps
  readonly #changes: StateChanges
  readonly #recorded = new Subscribers<Exchange>()
  readonly #waiting = new Set<() => void>()
  readonly #serially = oneByOne()
  readonly #longSeeds = oneByOne()

  constructor(deps: ControlDeps) {
    this.#deps = deps
    this.#changes = new StateChanges(deps.onChange)
    deps.subscribers.add((exchange) => this.#recorded.emit(exchange.namespace, exchange))
    deps.shutdown.addEventListener('abort', () => {
      for (const end of this.#waiting) end()
    })
  }

  /**
   * The reply is ready once every change is durable that it may depend on. Long seeds are read one after the other: the
   * values of a body take several times its memory.
   */
  carryOut(read: () => Eventually<ReadCall>, handler: AnyHandler, isLongSeed: boolean): Eventually<Reply> {
    const act = () =>
      whenReady(read(), (call) => whenReady(this.#act(call, handler), (reply) => ({ reply, call })))
    const acted = isLongSeed ? this.#longSeeds(act) : act()
    return whenReady(acted, ({ reply, call }) => this.#whenDurable(reply, call))
  }

  #act(call: ReadCall, handler: AnyHandler): Eventually<Reply> {
    const { request, operation } = call
    if (NEEDS_PAST.test(operation.path)) pastOf(this.#deps)
    if ('observe' in handler) return handler.observe(this.#context(call, this.#readingScope()))
    if (isRead(request)) return this.#read(handler as AnyApply, call)
    const changing: AnyCommand = typeof handler === 'function' ? { command: handler } : handler
    if (!changing.isSerial) return this.#prepareAndApply(changing, call)
    return this.#serially(() => this.#prepareAndApply(changing, call))
  }

  /** Answers a call that only reads. It creates no namespace. */
  #read(act: AnyApply, call: ReadCall): Eventually<Reply> {
    const { apply, realTime } = this.#deps
    const { request, query, namespace } = call
    const { at, side = 'after' } = query as { readonly at?: string; readonly side?: Side }
    const make = (seen?: CallScope['seen']) =>
      this.#context(call, { ...this.#readingScope(realTime()), seen })
    if (at === undefined || namespace === '*')
      return apply(request, () => attempt(this.#deps, () => act(make())))
    const seeing = async () => act(make(await worldAt(make(), at, side)))
    return apply(request, () => attempt(this.#deps, seeing), true)
  }

  #prepareAndApply(handler: AnyCommand, call: ReadCall): Eventually<Reply> {
    const { past, isAlone } = handler
    const apply = (act: AnyApply, sent = call.request) =>
      this.#deps.apply(sent, (command) => this.#perform(command, call, act, past), isAlone)
    if ('command' in handler) return apply(handler.command)
    return handler.prepare(this.#context(call, this.#readingScope())).then(
      (ready) => apply(ready.apply, ready.request),
      // The command is still applied: it changes nothing and answers with the error.
      (error) =>
        apply(() => {
          throw error
        }),
    )
  }

  /** Applies a call that may change something, and adds it, without its connection, to the history of its namespace. */
  #perform(command: Command, sent: ReadCall, act: AnyApply, past: AnyCommand['past']): Eventually<Reply> {
    const { worlds, realTime } = this.#deps
    command.dropConnection()
    const call = { ...sent, request: command.request ?? sent.request }
    const actIn = (scope: CallScope) => act(this.#context(call, scope))
    const called = this.#describe(command, call)
    if (past === undefined)
      called.again = (detached: DetachedDeps) =>
        attempt(this.#deps, () => actIn(detachedScope(command, this.#deps, detached)))
    const real = realTime()
    const created: string[] = []
    const findOrCreate: FindWorld = (name) => {
      if (!worlds.find(name)) created.push(name)
      return worlds.get(name, real)
    }
    const find = past === 'none' ? findOrCreate : findAndBegin(command, findOrCreate)
    let isStored = false
    const deps = watchedStore(this.#deps, () => {
      isStored = true
    })
    const scope = { deps, changes: this.#changes, real, find, command }
    const reply = attempt(
      this.#deps,
      () => {
        if (command.refusal) throw command.refusal
        return actIn(scope)
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
      this.#noteDue(command, call, !isStored && reply.status < 400)
      return reply
    })
  }

  /** Sets the words of a command in the history. */
  #describe(command: Command, call: ReadCall): ReturnType<Command['asCall']> {
    const { worlds } = this.#deps
    const { secrets } = worlds.default.keys
    const { operation, request, namespace } = call
    const nameOf = (key: string) => worlds.keysOf(namespace).names.get(key) ?? maskKey(key)
    const { what, line } = callWords(operation.id as OperationId, call as never, nameOf) ?? {}
    const called = command.asCall()
    called.what = secrets.mask(what ?? `${request.method} ${CONTROL_PATH}${targetOf(request).path}`)
    // With a masked word, it would be another command.
    called.line = line && maskWords(line, secrets).every((word, i) => word === line[i]) ? line : undefined
    return called
  }

  /** Notes what the reply to a command waits for. `isInEffect`: whether earlier changes can be stored or not. */
  #noteDue(command: Command, { namespace, due: noted }: ReadCall, isInEffect: boolean): void {
    const { durable } = this.#deps
    // Asked at once: a store may undo the change before the reply is ready.
    const due = durable(namespace)
    noted.push(isInEffect ? due?.catch(() => {}) : due)
    if (isInEffect) return
    due?.catch((error) => {
      command.noteRefusal(error)
      this.#changes.emit(namespace, { changed: ['pets', 'keys'] })
    })
  }

  /**
   * Returns the reply once every change is durable that it may depend on: for a read, those of its namespace and of this
   * turn; for a command, those that it noted, which do not fail with a change of another namespace.
   */
  #whenDurable(reply: Reply, { namespace, due: noted }: ReadCall): Eventually<Reply> {
    const { durable } = this.#deps
    const all = noted.length > 0 ? noted : [durable(), durable(namespace)]
    const due = all.filter((each) => each !== undefined)
    return due.length === 0 ? reply : Promise.all(due).then(() => reply)
  }

  #readingScope(real = this.#deps.clock()): CallScope {
    const { worlds } = this.#deps
    return { deps: this.#deps, changes: this.#changes, real, find: (name) => worlds.peek(name, real) }
  }

  #context(call: ReadCall, { find, seen, command, ...scope }: CallScope): InCommand<never> {
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
      recorded: this.#recorded,
      waiting: this.#waiting,
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
