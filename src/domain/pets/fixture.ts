import type { FixtureKey, FixturePet } from '../../contract/generated/control.types.d.ts'
import type { Int64 } from './pet.ts'

export type { Fixture, FixtureKey } from '../../contract/generated/control.types.d.ts'

/** The state of one namespace as a file has it; ids and `nextId` may be left out. */
export interface FixtureInput {
  readonly pets: readonly FixturePet[]
  readonly nextId?: Int64
  readonly keys?: readonly FixtureKey[]
}
