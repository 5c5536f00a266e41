import { beforeEach, expect } from 'vitest'
import type { WorldHandle } from './client/world.ts'
import { matchers, type SandboxMatchers } from './matchers/matchers.ts'

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: vitest declares its own interface with this very parameter
  interface Matchers<T = any> extends SandboxMatchers {}
  // The same for vitest before 3.2.
  // biome-ignore lint/suspicious/noExplicitAny: as above
  interface Assertion<T = any> extends SandboxMatchers {}
}

expect.extend(matchers)

/** The part of a test that `beforeEach` receives. */
interface Task {
  readonly name: string
  readonly suite?: Task | undefined
}

/** Before each test of a file or a suite, labels the world with the name of the test: `checkout › retries`. */
export function labelTests(world: WorldHandle | (() => WorldHandle)): void {
  beforeEach(({ task }: { readonly task: Task }) =>
    (typeof world === 'function' ? world() : world).label(nameOf(task)),
  )
}

const nameOf = ({ name, suite }: Task): string => (suite?.name ? `${nameOf(suite)} › ${name}` : name)
