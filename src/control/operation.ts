import type { operations } from '../contract/generated/control.types.d.ts'
import type { Reply, Request } from '../world/traffic/message.ts'
import type { ControlContext } from './context.ts'
import type { JsonReply, StatusReply } from './reply.ts'

/** The operations of the control API, as its document defines them. */
export type OperationId = keyof operations

type Parameters<
  Id extends OperationId,
  Place extends 'path' | 'query',
> = operations[Id]['parameters'] extends {
  readonly [Name in Place]?: infer Values
}
  ? [NonNullable<Values>] extends [never]
    ? Readonly<Record<never, never>>
    : NonNullable<Values>
  : Readonly<Record<never, never>>

type Body<Request> = Request extends { readonly content: { readonly 'application/json': infer Value } }
  ? Value
  : undefined

/** A call of an operation: the validated input, with the types of the operation. */
export interface OperationContext<Id extends OperationId> extends ControlContext {
  /** Percent-decoded. */
  readonly params: Parameters<Id, 'path'>
  readonly query: Parameters<Id, 'query'>
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

type OperationHandler<Id extends OperationId> = (
  context: OperationContext<Id>,
) => ReplyOf<Id> | Promise<ReplyOf<Id>>

/** Properties of a command. */
interface CommandFacts {
  /** `none`: not part of the history of its namespace. `once`: part of it, but not applied again for a look at the past. */
  readonly past?: 'none' | 'once'
  /** Calls of this operation wait for each other, replies included. */
  readonly isSerial?: true
  /** No other command is applied until its reply is there. */
  readonly isAlone?: true
}

interface CommandHandler<Id extends OperationId> extends CommandFacts {
  readonly command: OperationHandler<Id>
}

/** A command in two steps. `prepare` may wait and changes nothing; what it returns is applied without waiting. */
interface PreparedHandler<Id extends OperationId> extends CommandFacts {
  readonly prepare: (context: OperationContext<Id>) => Promise<{
    readonly apply: OperationHandler<Id>
    /** The command to record, if it differs from the request. */
    readonly request?: Request
  }>
}

/** A call that is no command: it changes nothing, and its reply depends on more than commands. */
interface ObservingHandler<Id extends OperationId> {
  readonly observe: OperationHandler<Id>
}

/** A handler for every operation of the contract, and for no other. A function is a command that is applied at once. */
export type OperationHandlers = {
  readonly [Id in OperationId]:
    | OperationHandler<Id>
    | CommandHandler<Id>
    | PreparedHandler<Id>
    | ObservingHandler<Id>
}

/** The handlers of one file. */
export type SomeHandlers = Partial<OperationHandlers>

/** The handler of any operation. */
export type AnyApply = (context: OperationContext<never>) => Reply | Promise<Reply>
export type AnyPrepare = (
  context: OperationContext<never>,
) => Promise<{ readonly apply: AnyApply; readonly request?: Request }>
export interface AnyCommand extends CommandFacts {
  readonly command?: AnyApply
  readonly prepare?: AnyPrepare
}
export type AnyHandler = AnyApply | AnyCommand | { readonly observe: AnyApply }
