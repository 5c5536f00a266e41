/** A value, or a promise of it. */
export type Eventually<T> = T | Promise<T>

/** Calls `next` with a value: at once if it is not a promise. */
export const whenReady = <T, U>(value: Eventually<T>, next: (value: T) => Eventually<U>): Eventually<U> =>
  value instanceof Promise ? value.then(next) : next(value)

/** The value of `act`, or that of `otherwise` if `act` throws or rejects. */
export function orElse<T>(
  act: () => Eventually<T>,
  otherwise: (error: unknown) => Eventually<T>,
): Eventually<T> {
  try {
    const value = act()
    return value instanceof Promise ? value.catch(otherwise) : value
  } catch (error) {
    return otherwise(error)
  }
}

/** Returns a function that carries out work: each piece starts at the end of the one before, also if that failed. */
export function oneByOne(): <T>(act: () => Eventually<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (act) => {
    const done = last.then(act)
    last = done.catch(() => {})
    return done
  }
}

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
