/** Reproducible random numbers: the same seed gives the same numbers (mulberry32). */
export class Dice {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** An integer from 0 to `sides - 1`. */
  below(sides: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = this.state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides
  }

  /** True with the probability 1 / `times`. */
  once(times: number): boolean {
    return this.below(times) === 0
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T
  }

  many<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.below(most + 1) }, make)
  }
}
