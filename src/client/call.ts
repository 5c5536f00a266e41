import type { Client, ClientPathsWithMethod, RequestBodyOption } from 'openapi-fetch'
import type { paths } from '../contract/generated/control.types.d.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

type PathWith<M extends Method> = ClientPathsWithMethod<Client<paths>, Lowercase<M>>

/** The parameters of an operation. The default namespace is that of the client. */
type Addressed<Operation> = Operation extends { readonly parameters: infer All }
  ? Pick<All, keyof All & ('path' | 'query')>
  : unknown

/** The input of a call, typed by its operation. */
type Init<Operation> = Addressed<Operation> &
  RequestBodyOption<Operation> & {
    /** The default is application/json. */
    readonly accept?: string
    /** Additional time for the response of an operation that waits, in milliseconds. */
    readonly waits?: number
  }

type InitArgument<Operation> =
  object extends Init<Operation> ? [init?: Init<Operation>] : [init: Init<Operation>]

interface Json<Value> {
  readonly content: { readonly 'application/json': Value }
}

type Successes<Value> = { readonly 200: Json<Value> } | { readonly 201: Json<Value> }

/** The JSON of an operation's successful response; undefined if it has no body. */
type Value<Operation> = Operation extends { readonly responses: Successes<infer V> } ? V : undefined

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
  ...init: InitArgument<paths[Path][Lowercase<M>]>
) => Promise<ControlResponse<Value<paths[Path][Lowercase<M>]>>>
