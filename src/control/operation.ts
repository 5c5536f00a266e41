import type { operations } from '../contract/generated/control.types.d.ts'
import type { Command } from '../world/command.ts'
import type { Reply, Request } from '../world/traffic/message.ts'
import type { ControlContext } from './context.ts'
import type { JsonReply, StatusReply } from './reply.ts'

/** The operations of the control API, as its document defines them. */
export type OperationId = keyof operations

type Body<Request> = Request extends { readonly content: { readonly 'application/json': infer Value } }
  ? Value
  : undefined

/** A call of an operation: the validated input, with the types of the operation. */
export interface OperationContext<Id extends OperationId> extends ControlContext {
  /** Percent-decoded. */
  readonly params: NonNullable<operations[Id]['parameters']['path']>
  readonly query: NonNullable<operations[Id]['parameters']['query']>
  readonly body: operations[Id] extends { readonly requestBody?: infer Request } ? Body<Request> : undefined
}

type ReplyWith<Status, Response> = Response extends {
  readonly content: { readonly 'application/json': infer Value }
}
  ? JsonReply<Status & number, Value>
  : StatusReply<Status & number>

/** The replies that an operation declares: each status with the type of its JSON. */
export type ReplyOf<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses']]: ReplyWith<Status, operations[Id]['responses'][Status]>
}[keyof operations[Id]['responses']]

/** A call as a command that is being applied. */
export interface InCommand<Id extends OperationId> extends OperationContext<Id> {
  readonly command: Command
}

type Apply<Context, Answer> = (context: Context) => Answer | Promise<Answer>

/** Waits and changes nothing; `apply` then changes the world in one step. */
type Prepare<Id extends OperationId, Answer> = (context: OperationContext<Id>) => Promise<{
  readonly apply: Apply<InCommand<Id>, Answer>
  /** The command to record, if it differs from the request. */
  readonly request?: Request
}>

/** Properties of a command. */
interface CommandFacts {
  /** `none`: not part of the history of its namespace. `once`: part of it, but not applied again to read an earlier state. */
  readonly past?: 'none' | 'once'
  /** Calls of this operation wait for each other, replies included. */
  readonly isSerial?: true
  /** No other command is applied until its reply is there. */
  readonly isAlone?: true
}

/**
 * A function is a command that is applied at once; with `prepare` a command has two steps. `observe` is not a command:
 * it changes nothing, and its reply depends on more than commands.
 */
type Handler<Id extends OperationId, Answer> =
  | Apply<InCommand<Id>, Answer>
  | (CommandFacts & { readonly command: Apply<InCommand<Id>, Answer> })
  | (CommandFacts & { readonly prepare: Prepare<Id, Answer> })
  | { readonly observe: Apply<OperationContext<Id>, Answer> }

/** A handler for every operation of the contract, and for no other. */
export type OperationHandlers = { readonly [Id in OperationId]: Handler<Id, ReplyOf<Id>> }

/** The handlers of one file. */
export type SomeHandlers = Partial<OperationHandlers>

/** The handler of any operation. */
export type AnyHandler = Handler<never, Reply>
export type AnyApply = Apply<InCommand<never>, Reply>
export type AnyCommand = Exclude<AnyHandler, AnyApply | { readonly observe: AnyApply }>
