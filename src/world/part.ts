/** A part of the state of a world. A captured value never changes, and can be restored in this world or another one. */
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
