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

/** One call of an operation, with what it sends: validated, and typed by the operation. */
export interface OperationContext<Id extends OperationId> extends ControlContext {
  /** Decoded. */
  readonly params: Parameters<Id, 'path'>
  readonly query: Parameters<Id, 'query'>
  readonly body: operations[Id] extends { readonly requestBody?: infer Request } ? Body<Request> : undefined
}

type ReplyWith<Status, Response> = Response extends {
  readonly content: { readonly 'application/json': infer Value }
}
  ? JsonReply<Status & number, Value>
  : StatusReply<Status & number>

/** The replies that an operation defines: status and JSON belong together. */
export type ReplyOf<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses']]: ReplyWith<Status, operations[Id]['responses'][Status]>
}[keyof operations[Id]['responses']]

type OperationHandler<Id extends OperationId> = (
  context: OperationContext<Id>,
) => ReplyOf<Id> | Promise<ReplyOf<Id>>

/** A command about which there is more to say than how it is applied. */
interface CommandFacts {
  /**
   * `none`: it does not belong to the past of the namespace that it names; `once`: it does, but is not applied again for
   * a look at the past.
   */
  readonly past?: 'none' | 'once'
  /** Calls are carried out one after the other, including their replies. */
  readonly isSerial?: true
  /** No command at all is applied until it has its reply. */
  readonly isAlone?: true
}

interface CommandHandler<Id extends OperationId> extends CommandFacts {
  readonly command: OperationHandler<Id>
}

/** A command in two steps: `prepare` waits and changes nothing; what it returns is applied without waiting. */
interface PreparedHandler<Id extends OperationId> extends CommandFacts {
  readonly prepare: (context: OperationContext<Id>) => Promise<{
    readonly apply: OperationHandler<Id>
    /** The command to record, where it differs from the request. */
    readonly request?: Request
  }>
}

/** Not a command: it changes nothing, and its reply depends on more than the commands before it. */
interface ObservingHandler<Id extends OperationId> {
  readonly observe: OperationHandler<Id>
}

/** A handler for every operation of the contract, and for no other; a function is a command that is applied at once. */
export type OperationHandlers = {
  readonly [Id in OperationId]:
    | OperationHandler<Id>
    | CommandHandler<Id>
    | PreparedHandler<Id>
    | ObservingHandler<Id>
}

/** The handlers of one file. */
export type SomeHandlers = Partial<OperationHandlers>

/** A handler found by the id of an operation, as the dispatcher sees it. */
export type AnyApply = (context: OperationContext<never>) => Reply | Promise<Reply>
export type AnyPrepare = (
  context: OperationContext<never>,
) => Promise<{ readonly apply: AnyApply; readonly request?: Request }>
export interface AnyCommand extends CommandFacts {
  readonly command?: AnyApply
  readonly prepare?: AnyPrepare
}
export type AnyHandler = AnyApply | AnyCommand | { readonly observe: AnyApply }
