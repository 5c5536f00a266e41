import type { StoredKey } from '../world/stored.ts'

/** The part of the Durable Objects API that is used here. Cloudflare, workerd and others provide it. */
export interface ObjectState {
  readonly id: { readonly name?: string }
  readonly storage: ObjectStorage
  blockConcurrencyWhile<T>(act: () => Promise<T>): Promise<T>
  /** Keeps the object in memory until the promise settles. */
  waitUntil(promise: Promise<unknown>): void
  /** Ends the object at once. The next request creates it again from its storage. */
  abort(reason: string): never
}

export interface ObjectStorage {
  readonly sql: Sql
  deleteAll(): Promise<void>
  /** The instant of the alarm; null if none is set. */
  getAlarm(): Promise<number | null>
  deleteAlarm(): Promise<void>
  /** Sets the instant at which `alarm` is called, in milliseconds since the epoch. Replaces an earlier one. */
  setAlarm(at: number): Promise<void>
}

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
