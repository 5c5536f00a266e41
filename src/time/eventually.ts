/** A value that is there, or a promise of it. */
export type Eventually<T> = T | Promise<T>

/** Goes on with a value, at once where it is there. */
export const whenReady = <T, U>(value: Eventually<T>, next: (value: T) => Eventually<U>): Eventually<U> =>
  value instanceof Promise ? value.then(next) : next(value)
