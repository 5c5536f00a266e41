import type { WorldHandle } from '../../src/client/world.ts'

/** Compiled with the tests: the arguments that a world takes. */
export async function addFaults({ faults }: WorldHandle): Promise<void> {
  await faults.add({ effect: { status: 503 }, times: 2 })
  const [listed] = await faults.list()
  // @ts-expect-error A listed rule has an id, which the sandbox refuses.
  if (listed) await faults.add(listed)
}
