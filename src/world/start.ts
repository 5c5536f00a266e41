import type { FaultInput } from '../contract/generated/control.types.d.ts'
import type { PetTable } from './pets/collection.ts'
import type { StoredKey } from './stored.ts'

/** The initial content of every namespace. */
export interface Start {
  readonly pets: PetTable
  readonly keys: readonly StoredKey[]
  readonly seed: number
  /** The instant at which its clock starts; undefined = real time. */
  readonly now: number | undefined
  readonly frozen: boolean
  /** Its fault rules at the start and after a reset. */
  readonly faults?: readonly FaultInput[]
  /** Keys that are valid in every namespace, whatever is stored. */
  readonly givenKeys?: readonly StoredKey[]
}
