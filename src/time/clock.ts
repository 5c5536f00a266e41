/** A clock relative to real time: `offset` milliseconds ahead, or frozen at an instant. */
export interface ClockState {
  readonly offset: number
  readonly frozenAt: number | undefined
}

const REAL: ClockState = { offset: 0, frozenAt: undefined }

/** The virtual clock of a namespace: converts real time, in milliseconds since the epoch, to the time of the namespace. */
export class Clock {
  state: ClockState = REAL

  capture(): ClockState {
    return this.state
  }

  restore(state: ClockState): void {
    this.state = state
  }

  get frozen(): boolean {
    return this.state.frozenAt !== undefined
  }

  at(real: number): number {
    return this.state.frozenAt ?? real + this.state.offset
  }

  /** Sets it to an instant. A frozen clock stays frozen there. */
  set(instant: number, real: number): void {
    this.state = this.frozen
      ? { ...this.state, frozenAt: instant }
      : { offset: instant - real, frozenAt: undefined }
  }

  freeze(real: number): void {
    this.state = { ...this.state, frozenAt: this.at(real) }
  }

  /** A frozen clock runs again, from the instant that it shows. */
  resume(real: number): void {
    const { frozenAt } = this.state
    if (frozenAt !== undefined) this.state = { offset: frozenAt - real, frozenAt: undefined }
  }

  /** Real time again. */
  reset(): void {
    this.state = REAL
  }
}

/** The state of a clock that shows at `real` what this one showed at `then`. */
export const shifted = (state: ClockState, then: number, real: number): ClockState => ({
  ...state,
  offset: state.offset + then - real,
})
