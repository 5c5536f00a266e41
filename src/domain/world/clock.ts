/**
 * The virtual clock of a namespace. It reads no time: real time comes in, in milliseconds since the epoch,
 * and the namespace's time comes out.
 */
export class Clock {
  #offset = 0
  #frozenAt: number | undefined

  get frozen(): boolean {
    return this.#frozenAt !== undefined
  }

  at(real: number): number {
    return this.#frozenAt ?? real + this.#offset
  }

  /** Moves it to an instant; a frozen clock stays frozen there. */
  set(instant: number, real: number): void {
    if (this.frozen) this.#frozenAt = instant
    else this.#offset = instant - real
  }

  freeze(real: number): void {
    this.#frozenAt ??= this.at(real)
  }

  /** Lets a frozen clock run on from where it stands. */
  resume(real: number): void {
    if (this.#frozenAt === undefined) return
    this.#offset = this.#frozenAt - real
    this.#frozenAt = undefined
  }

  /** Back to real time. */
  reset(): void {
    this.#offset = 0
    this.#frozenAt = undefined
  }
}
