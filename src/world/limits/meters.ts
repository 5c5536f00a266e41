import { copyOf } from '../../text/shorten.ts'
import { builtInKey } from '../keys/built-in-keys.ts'
import type { Part } from '../part.ts'
import { copyOfMeter, type Meter, newMeter, waitAfter } from './meter.ts'

/** With so many meters, those of unknown keys are dropped. It is about twice the limit of keys; a proxy knows few keys. */
const MANY = 4000

/** Every namespace can have so many, whatever the others have. */
const FEW = 256

/** The meters of all keys of a namespace. */
export class Meters implements Part<ReadonlyMap<string, Meter>> {
  readonly #isKey: (text: string) => boolean
  readonly #isFull: () => boolean
  #meters = new Map<string, Meter>()
  /** The keys whose meters are in no captured state, so that they can be changed in place. */
  readonly #writable = new Set<string>()

  /**
   * `isKey`: whether the namespace has a key, valid or not. `isFull`: whether the meters of all namespaces take all their
   * memory; then a new one replaces the oldest one here.
   */
  constructor(isKey: (text: string) => boolean, isFull = () => false) {
    this.#isKey = isKey
    this.#isFull = isFull
  }

  get size(): number {
    return this.#meters.size
  }

  /** The meter of a key, for reading; a new one if the key was not used yet. */
  get(key: string): Readonly<Meter> {
    return this.#meters.get(key) ?? newMeter(builtInKey(key)?.armed)
  }

  /** The meter of a key, for changing. */
  writable(key: string): Meter {
    const known = this.#meters.get(key)
    if (known && this.#writable.has(key)) return known
    const meter = known ? copyOfMeter(known) : newMeter(builtInKey(key)?.armed)
    const name = known ? key : copyOf(key)
    if (!known && this.size >= MANY) this.#dropUnknown()
    if (!known && this.size >= FEW && this.#isFull()) this.#dropOldest()
    this.#meters.set(name, meter)
    this.#writable.add(name)
    return meter
  }

  /** A request of this key was answered: it has to wait for `retryAfter` seconds, or an earlier wait may be over. */
  answered(key: string, now: number, retryAfter: number | undefined): void {
    const meter = this.get(key)
    const wait = waitAfter(meter, now, retryAfter)
    if (wait !== meter.wait) this.writable(key).wait = wait
  }

  /** Changes all meters. `armed`: the limit or ban that a trigger key meets at its first call. */
  change(change: (meter: Meter, armed: Meter['armed']) => void): void {
    for (const key of this.#meters.keys()) change(this.writable(key), builtInKey(key)?.armed)
  }

  #dropUnknown(): void {
    this.#drop([...this.#meters.keys()].filter((key) => !this.#isKey(key)))
  }

  #dropOldest(): void {
    const [oldest = ''] = this.#meters.keys()
    this.#drop([oldest])
  }

  #drop(keys: readonly string[]): void {
    for (const key of keys) {
      this.#meters.delete(key)
      this.#writable.delete(key)
    }
  }

  capture(): ReadonlyMap<string, Meter> {
    this.#writable.clear()
    return new Map(this.#meters)
  }

  restore(meters: ReadonlyMap<string, Meter>): void {
    this.#writable.clear()
    this.#meters = new Map(meters)
  }
}
