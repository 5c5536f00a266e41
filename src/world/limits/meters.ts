import { copyOf } from '../../text/shorten.ts'
import { builtInKey } from '../keys/built-in-keys.ts'
import type { Part } from '../part.ts'
import { copyOfMeter, type Meter, newMeter, waitAfter } from './meter.ts'

/** At this number of meters, those of unknown keys are dropped. It is about twice the number of keys of a namespace. */
const PRUNED_AT = 4000

/** A namespace with fewer meters keeps them, even if those of all namespaces take all their memory. */
const GUARANTEED = 256
/** Then this share of the others is dropped at once: a checkpoint follows, which copies all that are left. */
const DROPPED = 1 / 8

/** The meters of all keys of a namespace. */
export class Meters implements Part<ReadonlyMap<string, Meter>> {
  readonly #isKey: (text: string) => boolean
  /** In the order of the last answer with each key, oldest first; with fewer than GUARANTEED, as they were made. */
  #meters = new Map<string, Meter>()
  /** The keys whose meters are in no captured state, so that they can be changed in place. */
  readonly #writable = new Set<string>()

  /** Whether the meters of all namespaces take all their memory: then a new one replaces some of those here. */
  isFull = (): boolean => false
  /** Called when some were dropped because of those of other namespaces, which no command of this one repeats. */
  onDrop = (): void => {}

  /** `isKey`: whether the namespace has a key, valid or not. */
  constructor(isKey: (text: string) => boolean) {
    this.#isKey = isKey
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
    if (!known) this.#makeRoom()
    this.#meters.set(name, meter)
    this.#writable.add(name)
    return meter
  }

  /** A request of this key was answered: it has to wait for `retryAfter` seconds, or an earlier wait may be over. */
  answered(key: string, now: number, retryAfter: number | undefined): void {
    const meter = this.get(key)
    const wait = waitAfter(meter, now, retryAfter)
    if (wait !== meter.wait) this.writable(key).wait = wait
    const used = this.#meters.get(key)
    if (!used || this.size < GUARANTEED) return
    this.#meters.delete(key)
    this.#meters.set(copyOf(key), used)
  }

  /** Changes all meters. `armed`: the limit or ban that a trigger key meets at its first call. */
  change(change: (meter: Meter, armed: Meter['armed']) => void): void {
    for (const key of this.#meters.keys()) change(this.writable(key), builtInKey(key)?.armed)
  }

  #makeRoom(): void {
    if (this.size >= PRUNED_AT) for (const key of this.#meters.keys()) if (!this.#isKey(key)) this.#drop(key)
    if (this.size < GUARANTEED || !this.isFull()) return
    for (const oldest of [...this.#meters.keys()].slice(0, this.size * DROPPED)) this.#drop(oldest)
    this.onDrop()
  }

  #drop(key: string): void {
    this.#meters.delete(key)
    this.#writable.delete(key)
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
