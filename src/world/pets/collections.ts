import type { Part } from '../part.ts'
import type { CollectionName } from '../store.ts'
import { NO_PETS, Pets, type PetTable, sizeOfTable } from './collection.ts'
import type { OnChange } from './state-size.ts'

/** The pets of a namespace, as they were at one instant. */
export type CapturedPets = Readonly<Record<CollectionName, Pets>>

/** The pets of a namespace, and those of the key psk_empty. A copy takes constant time. */
export class Collections implements Part<CapturedPets> {
  pets: Pets
  empty: Pets
  readonly #start: PetTable
  readonly #onChange: OnChange
  #captured: CapturedPets | undefined

  constructor(start: PetTable, stored: CapturedPets | undefined, onChange: OnChange) {
    this.#start = start
    this.#onChange = onChange
    this.pets = stored?.pets ?? new Pets(start)
    this.empty = stored?.empty ?? new Pets(NO_PETS)
    this.#watch()
  }

  /** Replaces the pets of a collection by those of a table, or of another collection. */
  set(name: CollectionName, others: PetTable | Pets): void {
    this.#put({ [name]: others instanceof Pets ? others.copy() : new Pets(others) })
  }

  /** Returns the same value until something changes. */
  capture(): CapturedPets {
    const { pets, empty } = this
    const last = this.#captured
    if (last && pets.isSameAs(last.pets) && empty.isSameAs(last.empty)) return last
    this.#captured = { pets: pets.copy(), empty: empty.copy() }
    return this.#captured
  }

  restore({ pets, empty }: CapturedPets): void {
    this.#put({ pets: pets.copy(), empty: empty.copy() })
  }

  #put(others: Partial<CapturedPets>): void {
    let bytes = 0
    // The last captured state could otherwise keep the replaced pets in memory.
    this.#captured = undefined
    for (const [name, pets] of Object.entries(others) as [CollectionName, Pets][]) {
      const before = this[name]
      before.onChange = () => {}
      this[name] = pets
      bytes += this.#bytesOnlyIn(before, pets)
    }
    this.#watch()
    this.#onChange(undefined, bytes)
  }

  /** About how many bytes of `before` are not in `after`; collections with the same table share most pets. */
  #bytesOnlyIn(before: Pets, after: Pets): number {
    if (before.table === after.table) return Math.max(0, before.ownBytes - after.ownBytes)
    return before.ownBytes + (before.table === this.#start ? 0 : sizeOfTable(before.table))
  }

  #watch(): void {
    for (const pets of [this.pets, this.empty]) pets.onChange = this.#onChange
  }
}
