declare module 'cloudflare:workers' {
  /** The base class of Durable Objects. Other objects and Workers can call its methods. */
  export abstract class DurableObject<Env> {
    protected readonly ctx: import('./runtime.ts').ObjectState
    protected readonly env: Env
    constructor(ctx: import('./runtime.ts').ObjectState, env: Env)
  }
}
