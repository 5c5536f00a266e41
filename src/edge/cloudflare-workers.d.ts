declare module 'cloudflare:workers' {
  /** The base class of Durable Objects. Other objects and Workers can call its methods. */
  export abstract class DurableObject<Env> {
    protected readonly ctx: ObjectState
    protected readonly env: Env
  }

  /** The part of the Durable Objects API that is used here. Cloudflare, workerd and others provide it. */
  interface ObjectState {
    readonly id: { readonly name?: string }
    readonly storage: ObjectStorage
    blockConcurrencyWhile<T>(act: () => Promise<T>): Promise<T>
    /** Keeps the object in memory until the promise settles. */
    waitUntil(promise: Promise<unknown>): void
    /** Ends the object at once. The next request creates it again from its storage. */
    abort(reason: string): never
  }

  interface ObjectStorage {
    readonly sql: import('./runtime.ts').Sql
    deleteAll(): Promise<void>
    /** The instant of the alarm; null if none is set. */
    getAlarm(): Promise<number | null>
    deleteAlarm(): Promise<void>
    /** Sets the instant at which `alarm` is called, in milliseconds since the epoch. Replaces an earlier one. */
    setAlarm(at: number): Promise<void>
  }
}
