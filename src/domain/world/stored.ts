import type { FixtureKey } from '../pets/fixture.ts'
import type { Int64, Pet } from '../pets/pet.ts'

/** An immutable run of pets by ascending id; shared freely between namespaces and snapshots. */
export interface PetTable {
  readonly pets: readonly Pet[]
  readonly nextId: Int64
}

/** Pets as they are at one instant, without copying: arrays that only ever grow at their end, each with how much of it counts. */
export interface PetsView {
  readonly parts: readonly { readonly pets: readonly Pet[]; readonly count: number }[]
  readonly nextId: Int64
}

export type StoredKey = FixtureKey & { readonly revoked?: true; readonly issued?: true }

/** Pets of a namespace: its own, or the store that belongs to the key psk_empty. */
export type Shelf = 'pets' | 'empty'

/** What survives a restart of one namespace. */
export interface StoredNamespace {
  readonly pets: PetTable
  readonly empty?: PetTable
  readonly keys: readonly StoredKey[]
}
export interface NamespaceView {
  readonly pets: PetsView
  readonly empty?: PetsView
  readonly keys: readonly StoredKey[]
}

/** One durable change, in the order of the log. */
export type Change =
  | {
      readonly op: 'create'
      readonly namespace: string
      readonly shelf: Shelf
      readonly pet: Pet
      /** The pet's JSON text, already serialised. */
      readonly json: string
    }
  | {
      readonly op: 'replace'
      readonly namespace: string
      readonly shelf: Shelf
      readonly table: PetTable
      /** The whole list, replaced too, when given. */
      readonly keys?: readonly StoredKey[]
    }
  | {
      readonly op: 'keys'
      readonly namespace: string
      /** The whole list. */
      readonly keys: readonly StoredKey[]
    }
  | { readonly op: 'drop'; readonly namespace: string }
