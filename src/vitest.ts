import { beforeEach, expect } from 'vitest'
import type { WorldHandle } from './client/world.ts'
import { matchers, type SandboxMatchers } from './matchers/matchers.ts'

declare global {
  // Every version of vitest has the members of this interface; the type parameters of its own ones differ.
  namespace Chai {
    interface Assertion extends SandboxMatchers {}
  }
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
