import type { Pets } from './pets/collection.ts'
import type { FixtureKey } from './pets/fixture.ts'
import type { Int64, Pet } from './pets/pet.ts'

/** A stored key. `issued`: it was created while the sandbox ran. */
export type StoredKey = FixtureKey

/** Names the pets of a namespace, or the pets of the key psk_empty. */
export type CollectionName = 'pets' | 'empty'

/** The part of a namespace that survives a restart. */
export interface StoredNamespace extends Readonly<Record<CollectionName, Pets>> {
  readonly keys: readonly StoredKey[]
}

interface PetChange {
  readonly namespace: string
  readonly collection: CollectionName
  readonly pet: Pet
  /** The pet as JSON. */
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
  /** Replaces all that is stored of the namespace. `state` never changes afterwards. */
  | { readonly op: 'replace'; readonly namespace: string; readonly state: StoredNamespace }
  | {
      readonly op: 'keys'
      readonly namespace: string
      /** All own keys of the namespace. */
      readonly keys: readonly StoredKey[]
    }
  | { readonly op: 'drop'; readonly namespace: string }
