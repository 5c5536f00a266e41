import type { WorldHandle } from '../../src/client/world.ts'
import type { SandboxOptions } from '../../src/config/settings.ts'

/** Compiled with the tests: the arguments that a world takes. */
export async function addFaults({ faults }: WorldHandle): Promise<void> {
  await faults.add({ effect: { status: 503 }, times: 2 })
  const [listed] = await faults.list()
  // @ts-expect-error A listed rule has an id, which the sandbox refuses.
  if (listed) await faults.add(listed)
}

/** The rules of `createSandbox` have the same form. */
export async function optionsFrom({ faults }: WorldHandle): Promise<SandboxOptions> {
  // @ts-expect-error A listed rule has an id, which the sandbox refuses.
  return { faults: await faults.list() }
}
