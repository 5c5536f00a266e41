import type { StoredKey } from '../world/store.ts'

/** All writes of one turn are stored together. A response leaves after they are stored. */
export interface Sql {
  exec<Row extends Readonly<Record<string, string | number | null>>>(
    statement: string,
    ...values: readonly (string | number)[]
  ): { toArray(): Row[] }
}

export interface Fetcher {
  fetch(input: Request | string): Promise<Response>
}

/** The bindings of the Worker. All others are variables, such as PETSTORE_SANDBOX_SET. */
export interface Env {
  /** Finds the objects of worlds. Each name has one object, wherever it runs. */
  readonly WORLD: { getByName(name: string): WorldStub }
  /** The built files of the inspector. */
  readonly ASSETS?: Fetcher
  /** Whether anybody may create worlds, each with its own key. `default` is read-only then. Null: not in the environment. */
  readonly PETSTORE_SANDBOX_PUBLIC?: string | boolean | null
}

/** The methods of a world that the Worker and other worlds call. */
export interface WorldStub {
  fetch(request: Request): Promise<Response>
  /** The keys of `default`, which every world inherits. */
  keys(): Promise<readonly StoredKey[]>
  /** Adds a name to the list of worlds, which `default` has, or removes it. */
  list(name: string, isThere: boolean): Promise<void>
  /** Answers a control call that another world sends, and that only reads. */
  ask(target: string, accept?: string): Promise<WorldAnswer>
  /** Begins with the state of another world. Returns false if the world is already in use. */
  adopt(state: string): Promise<boolean>
  /** Creates a world of a public sandbox. Returns when it expires, in milliseconds since the epoch. */
  make(): Promise<number>
}

/** The answer of a world to another one. */
export interface WorldAnswer {
  readonly status: number
  readonly body: string
  /** The value of X-Sandbox-Dropped. */
  readonly dropped: number
}
