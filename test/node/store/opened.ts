import { onTestFinished } from 'vitest'
import { animalStoreContract } from '../../../src/contract/animal-store.ts'
import { openFileStore } from '../../../src/node/store/file-store.ts'
import { slices } from '../../../src/node/turns.ts'
import type { Change, Store } from '../../../src/world/store.ts'
import { changer } from './changer.ts'
import { Model, type Plain, plain } from './model.ts'

export interface Opened {
  readonly store: Store
  /** The state that the start has found. */
  readonly found: Plain
  readonly model: Model
  readonly warnings: string[]
  /** Applies a change to the model and the store; undone with all changes of its turn if it cannot be written. */
  readonly change: (change: Change) => Promise<void>
}

/** A store with a model. It is closed after the test at the latest. */
export async function open(
  file: string,
  options: { fresh?: boolean; acceptDataFile?: boolean; newMark?: number } = {},
): Promise<Opened> {
  const warnings: string[] = []
  const store = await openFileStore(file, {
    warn: (message) => warnings.push(message),
    petShape: animalStoreContract().petShape,
    slices,
    ...options,
  })
  const found = plain(store.found)
  const model = new Model(found)
  store.connect(model.view)
  onTestFinished(() => store.close(0))
  return { store, found, model, warnings, change: changer(store, model) }
}
