import type { Change, Store } from '../../../src/world/store.ts'
import type { Model } from './model.ts'

/** Applies each change to the model and the store like the sandbox: at once, and undone if it cannot be stored. */
export function changer(store: Store, model: Model): (change: Change) => Promise<void> {
  return async (change) => {
    const before = model.storedOf(change.namespace)
    model.apply(change)
    store.append(change, () => model.restore(change.namespace, before))
    await store.durable(change.namespace)
  }
}
