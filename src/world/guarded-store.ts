import { errorMessage } from '../text/error.ts'
import { ApiError } from './api-error.ts'
import type { Store } from './store.ts'

const UNDONE = 'The change was not stored: pets and keys are as before.'

/** The refusal of a change that could not be written and was undone. `reason`: a sentence. */
export const notStored = (reason: string, problem = UNDONE): ApiError =>
  new ApiError('service_unavailable', `${problem} ${reason}`)

/** A store of another program: whatever it throws or rejects with becomes a 503 ApiError. */
export function guardedStore(store: Store): Store {
  const { snapshots } = store
  const saved = <T>(act: () => Promise<T>, what: string): Promise<T> =>
    (async () => act())().catch((error) => {
      throw orRefusal(error, `The snapshot could not be ${what}:`)
    })
  return {
    found: store.found,
    connect: (view) => store.connect(view),
    append(change, undo) {
      let isUndone = false
      const undoOnce = () => {
        if (!isUndone) undo()
        isUndone = true
      }
      try {
        store.append(change, undoOnce)
      } catch (error) {
        undoOnce()
        throw orRefusal(error)
      }
    },
    durable(namespace) {
      try {
        return store.durable(namespace)?.catch((error) => Promise.reject(orRefusal(error)))
      } catch (error) {
        return Promise.reject(orRefusal(error))
      }
    },
    snapshots: {
      namespaces: () => snapshots.namespaces(),
      inMemory: snapshots.inMemory?.bind(snapshots),
      save: (...given) => saved(() => snapshots.save(...given), 'saved'),
      read: (...given) => saved(() => snapshots.read(...given), 'read'),
      list: (...given) => saved(() => snapshots.list(...given), 'listed'),
      delete: (...given) => saved(() => snapshots.delete(...given), 'deleted'),
    },
    close: (budgetMs) => store.close(budgetMs),
  }
}

const orRefusal = (error: unknown, problem?: string): ApiError =>
  error instanceof ApiError ? error : notStored(errorMessage(error), problem)
