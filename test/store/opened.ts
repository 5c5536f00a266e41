import { onTestFinished } from 'vitest'
import { parseJson } from '../../src/contract/json.ts'
import type { Change } from '../../src/domain/stored.ts'
import { openFileStore } from '../../src/store/file-store.ts'
import type { Store } from '../../src/store/store.ts'
import { Model } from './model.ts'

export interface Opened {
  readonly store: Store
  readonly model: Model
  readonly warnings: string[]
  /** Changes the store and, once that is safe, the model. */
  readonly change: (change: Change) => Promise<void>
}

/** A store with the model behind it; closed after the test at the latest. */
export async function open(file: string, options: { fresh?: boolean } = {}): Promise<Opened> {
  const warnings: string[] = []
  let model = new Model()
  const store = await openFileStore(file, {
    view: () => model.view(),
    warn: (message) => warnings.push(message),
    parseJson,
    ...options,
  })
  model = new Model(store.found)
  onTestFinished(() => store.close(0))
  return {
    store,
    model,
    warnings,
    change: async (change) => store.append(change, () => model.apply(change)),
  }
}
