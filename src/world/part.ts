/** A part of the state of a world. What was captured never changes, and may be restored in another world. */
export interface Part<S> {
  capture(): S
  restore(state: S): void
}

/** A part that is one value, which is replaced and never changed. */
export class Value<T> implements Part<T> {
  value: T

  constructor(value: T) {
    this.value = value
  }

  capture(): T {
    return this.value
  }

  restore(value: T): void {
    this.value = value
  }
}
