/** The relation of a clock to real time: ahead by `offset` milliseconds, or frozen at an instant. */
export interface ClockState {
  readonly offset: number
  readonly frozenAt: number | undefined
}

const REAL: ClockState = { offset: 0, frozenAt: undefined }

/**
 * The virtual clock of a namespace. It is given real time, in milliseconds since the epoch,
 * and returns the time of the namespace.
 */
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

  /** Moves it to an instant; a frozen clock stays frozen there. */
  set(instant: number, real: number): void {
    this.state = this.frozen
      ? { ...this.state, frozenAt: instant }
      : { offset: instant - real, frozenAt: undefined }
  }

  freeze(real: number): void {
    if (!this.frozen) this.state = { ...this.state, frozenAt: this.at(real) }
  }

  /** Lets a frozen clock run on from the instant that it shows. */
  resume(real: number): void {
    const { frozenAt } = this.state
    if (frozenAt !== undefined) this.state = { offset: frozenAt - real, frozenAt: undefined }
  }

  /** Back to real time. */
  reset(): void {
    this.state = REAL
  }
}

/** The state of a clock that shows at `real` what this one showed at `then`. */
export const shifted = (state: ClockState, then: number, real: number): ClockState => ({
  ...state,
  offset: state.offset + then - real,
})
