import type { Store } from '../../../src/world/store.ts'
import type { Change } from '../../../src/world/stored.ts'
import type { Model } from './model.ts'

/** As the sandbox makes changes: a change is applied once the store has taken it. */
export function changer(store: Store, model: Model): (change: Change) => Promise<void> {
  let batch: Promise<void> | undefined
  return async (change) => {
    const durable = store.append(change)
    if (durable && durable !== batch) {
      batch = durable
      const before = model.stored()
      durable.catch(() => model.restore(before))
    }
    model.apply(change)
    await durable
  }
}
