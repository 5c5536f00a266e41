import type { FixtureKey as SentKey } from '../../contract/generated/control.types.d.ts'
import type { PetTable } from './collection.ts'
import type { Int64, NewPet } from './pet.ts'

/** The content of a fixture file; ids and `nextId` may be missing. */
export interface FixtureInput {
  readonly pets: readonly (NewPet & { readonly id?: Int64 })[]
  readonly nextId?: Int64
  readonly keys?: readonly FixtureKey[]
}

/** A key of a fixture or of a data file; `expiresAt` is an ISO 8601 instant. */
export interface FixtureKey extends SentKey {
  /** Set in a data file for a key that was issued while the sandbox ran. */
  readonly issued?: true
}

export interface CompleteFixture extends PetTable {
  readonly keys: readonly FixtureKey[]
}
