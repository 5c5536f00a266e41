/** A value, or a promise of it. */
export type Eventually<T> = T | Promise<T>

/** Calls `next` with a value: at once if it is not a promise. */
export const whenReady = <T, U>(value: Eventually<T>, next: (value: T) => Eventually<U>): Eventually<U> =>
  value instanceof Promise ? value.then(next) : next(value)
