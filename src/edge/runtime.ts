import type { StoredKey } from '../world/stored.ts'

/** The part of the Durable Objects API that is used here; Cloudflare, workerd and others have it. */
export interface ObjectState {
  readonly id: { readonly name?: string }
  readonly storage: ObjectStorage
  blockConcurrencyWhile(act: () => Promise<void>): Promise<void>
  /** Keeps the object in memory until then. */
  waitUntil(promise: Promise<unknown>): void
  /** Ends the object at once; the next request makes it anew from its storage. */
  abort(reason: string): never
}

export interface ObjectStorage {
  readonly sql: Sql
  deleteAll(): Promise<void>
  /** When `alarm` is called; null if it is not. */
  getAlarm(): Promise<number | null>
  deleteAlarm(): Promise<void>
  /** Has `alarm` called at an instant, in milliseconds since the epoch; it replaces an earlier one. */
  setAlarm(at: number): Promise<void>
}

/** What a turn writes is stored together, and a response leaves only once it is stored. */
export interface Sql {
  exec<Row extends Readonly<Record<string, string | number | null>>>(
    statement: string,
    ...values: readonly (string | number)[]
  ): { toArray(): Row[] }
}

/** Finds objects by name: there is one of each, wherever it runs. */
export interface ObjectNamespace<Stub> {
  getByName(name: string): Stub
}

export interface Fetcher {
  fetch(input: Request | string): Promise<Response>
}

/** The bindings of the Worker; all others are variables, such as PETSTORE_SANDBOX_SET. */
export interface Env {
  readonly WORLD: ObjectNamespace<WorldStub>
  /** The files of the inspector, as they were built. */
  readonly ASSETS?: Fetcher
  /** Whether anybody may make worlds, each with its own key, and `default` is to be read only. */
  readonly PETSTORE_SANDBOX_PUBLIC?: string | boolean
}

/** A world as the Worker and other worlds reach it. */
export interface WorldStub {
  fetch(request: Request): Promise<Response>
  /** The keys of `default`, which every world inherits. */
  keys(): Promise<readonly StoredKey[]>
  /** Adds a name to the list of worlds that `default` has, or takes it away. */
  list(name: string, isThere: boolean): Promise<void>
  /** Answers a reading control call of another world. */
  ask(target: string, accept?: string): Promise<Said>
  /** Begins with a state of another world; false if something has happened here already. */
  adopt(state: string): Promise<boolean>
  /** Makes a world of a public sandbox; returns when it expires, in milliseconds since the epoch. */
  make(): Promise<number>
}

/** What a world answers another one. */
export interface Said {
  readonly status: number
  readonly body: string
  /** X-Sandbox-Dropped. */
  readonly dropped: number
}
