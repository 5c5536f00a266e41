import type { Pets, PetTable } from './pets/collection.ts'
import type { FixtureKey } from './pets/fixture.ts'
import type { Int64, Pet } from './pets/pet.ts'

/** A key of a namespace; `issued`: it was made while the sandbox ran. */
export interface StoredKey extends FixtureKey {
  readonly issued?: true
}

/** Pets of a namespace: its own, or the collection that belongs to the key psk_empty. */
export type CollectionName = 'pets' | 'empty'

/** What survives a restart of one namespace. */
export interface StoredNamespace {
  readonly pets: Pets
  readonly empty?: Pets
  readonly keys: readonly StoredKey[]
}

interface PetChange {
  readonly namespace: string
  readonly collection: CollectionName
  readonly pet: Pet
  /** The pet's JSON text, already serialised. */
  readonly json: string
}

/** How a collection becomes what it was: other pets in its place, or these changes of single ones. */
export type CollectionBack =
  | { readonly table: PetTable }
  | { readonly put: readonly Pet[]; readonly delete: readonly Int64[]; readonly nextId: Int64 }

/** One durable change, in the order of the log. */
export type Change =
  | (PetChange & { readonly op: 'create' })
  | (PetChange & { readonly op: 'update' })
  | {
      readonly op: 'delete'
      readonly namespace: string
      readonly collection: CollectionName
      readonly id: Int64
    }
  | {
      readonly op: 'replace'
      readonly namespace: string
      readonly collection: CollectionName
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
  /** All of it together, or nothing. */
  | {
      readonly op: 'rewind'
      readonly namespace: string
      readonly collections: Readonly<Partial<Record<CollectionName, CollectionBack>>>
      readonly keys?: readonly StoredKey[]
    }
  | { readonly op: 'drop'; readonly namespace: string }
