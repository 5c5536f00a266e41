import { copyOf } from '../../text/listed.ts'
import { builtInKey } from '../keys/key.ts'
import { isUse, type Meter, newMeter } from './meter.ts'

/** The meters of all keys of a namespace. */
export class Meters {
  /** Called before a meter with one request more takes the place of another one. */
  used: (key: string) => void = () => {}
  /** Called before any other meter takes the place of another one. */
  changed: (key: string, before: Meter | undefined) => void = () => {}
  /** Called before all meters are replaced. */
  replaced: (before: ReadonlyMap<string, Meter>) => void = () => {}
  #meters = new Map<string, Meter>()

  /** The meter of a key; a new one where the key was not used yet. */
  of(key: string): Meter {
    return this.#meters.get(key) ?? newMeter(builtInKey(key)?.armed)
  }

  set(key: string, meter: Meter): void {
    const before = this.#meters.get(key)
    const name = before ? key : copyOf(key)
    if (before && isUse(before, meter)) this.used(key)
    else this.changed(name, before)
    this.#meters.set(name, meter)
  }

  /** `armed`: what a trigger key meets at its first call. */
  change(change: (meter: Meter, armed: Meter['armed']) => Meter): void {
    if (this.#meters.size === 0) return
    this.replaced(this.#meters)
    this.#meters = new Map(
      Array.from(this.#meters, ([key, meter]) => [key, change(meter, builtInKey(key)?.armed)]),
    )
  }

  copy(): Map<string, Meter> {
    return new Map(this.#meters)
  }

  /** Puts a copy in place, of which no listener is notified. */
  restore(meters: ReadonlyMap<string, Meter>): void {
    this.#meters = new Map(meters)
  }
}
