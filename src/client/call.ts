import type { paths } from '../contract/generated/control.types.d.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The paths of the control API on which a method is defined. */
type PathWith<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends { readonly [Name in Lowercase<M>]: object } ? Path : never
}[keyof paths]

type OperationAt<M extends Method, Path extends keyof paths> = paths[Path][Lowercase<M>]

interface Json<Value> {
  readonly content: { readonly 'application/json': Value }
}

type Query<Operation> = Operation extends { readonly parameters: { readonly query?: infer Values } }
  ? NonNullable<Values>
  : never

type PathValues<Operation> = Operation extends { readonly parameters: { readonly path: infer Values } }
  ? Values
  : never

type Body<Operation> = Operation extends { readonly requestBody: Json<infer Sent> }
  ? { readonly body: Sent }
  : Operation extends { readonly requestBody?: Json<infer Sent> }
    ? { readonly body?: Sent }
    : { readonly body?: undefined }

type Params<Operation> = ([PathValues<Operation>] extends [never]
  ? unknown
  : { readonly path: PathValues<Operation> }) &
  ([Query<Operation>] extends [never]
    ? unknown
    : object extends Query<Operation>
      ? { readonly query?: Query<Operation> }
      : { readonly query: Query<Operation> })

/** The input of a call, as its operation defines it. The default namespace is that of the client. */
type Init<Operation> = Body<Operation> &
  (object extends Params<Operation>
    ? { readonly params?: Params<Operation> }
    : { readonly params: Params<Operation> }) & {
    /** The default is application/json. */
    readonly accept?: string
    /** Additional time for the response of an operation that waits, in milliseconds. */
    readonly waits?: number
  }

type InitArgument<Operation> =
  object extends Init<Operation> ? [init?: Init<Operation>] : [init: Init<Operation>]

/** The JSON of an operation's successful response; undefined if it has no body. */
type Value<Operation> = Operation extends { readonly responses: infer Responses }
  ? {
      [Status in keyof Responses & (200 | 201)]: Responses[Status] extends Json<infer V> ? V : unknown
    }[keyof Responses & (200 | 201)] extends infer V
    ? [V] extends [never]
      ? undefined
      : V
    : never
  : never

/** A response of the control API: its JSON as it was sent, and as a value in which integers may be bigints. */
export interface ControlResponse<V = unknown> {
  readonly text: string
  readonly value: V
  readonly headers: Headers
}

/** Calls an operation of the control API. */
export type ControlCall = <M extends Method, Path extends PathWith<M>>(
  method: M,
  path: Path,
  ...init: InitArgument<OperationAt<M, Path>>
) => Promise<ControlResponse<Value<OperationAt<M, Path>>>>
