import { matchers, type SandboxMatchers } from './matchers/matchers.ts'

export { matchers }

declare global {
  namespace jest {
    // With the types of @types/jest.
    interface Matchers<R, T> extends SandboxMatchers {}
  }
}

// With those of @jest/globals and @types/bun, which are there only with these runners.
// @ts-expect-error
declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends SandboxMatchers {}
}
// @ts-expect-error
declare module 'bun:test' {
  interface Matchers<T = unknown> extends SandboxMatchers {}
}
// With `injectGlobals: false` in Jest, the test itself calls expect.extend(matchers).
;(globalThis as { expect?: { extend(more: typeof matchers): void } }).expect?.extend(matchers)
