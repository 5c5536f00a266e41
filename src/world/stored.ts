import type { Pets } from './pets/collection.ts'
import type { FixtureKey } from './pets/fixture.ts'
import type { Int64, Pet } from './pets/pet.ts'

/** A key of a namespace; `issued`: it was made while the sandbox ran. */
export interface StoredKey extends FixtureKey {
  readonly issued?: true
}

/** Pets of a namespace: its own, or the collection that belongs to the key psk_empty. */
export type CollectionName = 'pets' | 'empty'

/** The part of a namespace that survives a restart. */
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

/** One durable change, in the order of the log. */
export type Change =
  | (PetChange & { readonly op: 'create' | 'update' })
  | {
      readonly op: 'delete'
      readonly namespace: string
      readonly collection: CollectionName
      readonly id: Int64
    }
  /** Everything that is stored of the namespace is another one. `state` does not change any more. */
  | { readonly op: 'replace'; readonly namespace: string; readonly state: StoredNamespace }
  | {
      readonly op: 'keys'
      readonly namespace: string
      /** The whole list. */
      readonly keys: readonly StoredKey[]
    }
  | { readonly op: 'drop'; readonly namespace: string }
