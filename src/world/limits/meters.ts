import { copyOf } from '../../text/listed.ts'
import { builtInKey } from '../keys/key.ts'
import type { Part } from '../part.ts'
import { type Meter, newMeter } from './meter.ts'

/** The meters of all keys of a namespace. */
export class Meters implements Part<ReadonlyMap<string, Meter>> {
  #meters = new Map<string, Meter>()

  get size(): number {
    return this.#meters.size
  }

  /** The meter of a key; a new one where the key was not used yet. */
  of(key: string): Meter {
    return this.#meters.get(key) ?? newMeter(builtInKey(key)?.armed)
  }

  set(key: string, meter: Meter): void {
    this.#meters.set(this.#meters.has(key) ? key : copyOf(key), meter)
  }

  /** `armed`: what a trigger key meets at its first call. */
  change(change: (meter: Meter, armed: Meter['armed']) => Meter): void {
    for (const [key, meter] of this.#meters) this.#meters.set(key, change(meter, builtInKey(key)?.armed))
  }

  capture(): ReadonlyMap<string, Meter> {
    return new Map(this.#meters)
  }

  restore(meters: ReadonlyMap<string, Meter>): void {
    this.#meters = new Map(meters)
  }
}
