import { onTestFinished } from 'vitest'
import type { Change } from '../../src/domain/world/stored.ts'
import { parseJson } from '../../src/openapi/json.ts'
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
export async function open(
  file: string,
  options: { fresh?: boolean; acceptDataFile?: boolean; newMark?: number } = {},
): Promise<Opened> {
  const warnings: string[] = []
  const store = await openFileStore(file, {
    warn: (message) => warnings.push(message),
    parseJson,
    ...options,
  })
  const model = new Model(store.found)
  store.connect(model.view)
  onTestFinished(() => store.close(0))
  return {
    store,
    model,
    warnings,
    change: async (change) => store.append(change, () => model.apply(change)),
  }
}
