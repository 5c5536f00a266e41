declare module 'cloudflare:workers' {
  /** The base class of objects whose methods others may call. */
  export abstract class DurableObject<Env> {
    protected readonly ctx: import('./runtime.ts').ObjectState
    protected readonly env: Env
    constructor(ctx: import('./runtime.ts').ObjectState, env: Env)
  }
}
