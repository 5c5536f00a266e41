/** A value, or a promise of it. */
export type Eventually<T> = T | Promise<T>

/** Calls `next` with a value: at once if it is not a promise. */
export const whenReady = <T, U>(value: Eventually<T>, next: (value: T) => Eventually<U>): Eventually<U> =>
  value instanceof Promise ? value.then(next) : next(value)

/** Calls `load` at the first call, and again only if that failed: a process may have no free file for a moment. */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined
      throw error
    })
    return loaded
  }
}
