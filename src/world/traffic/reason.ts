import type { FaultEffect } from '../../contract/generated/control.types.d.ts'
import type { Pet } from '../pets/pet.ts'

/** Why a request was answered as it was: decided where the decision is made, in words only when it is read. */
export interface Reason {
  /** `served`, `forced`, or the code of a refusal as the catalogue has it, before a rename. */
  readonly code: string
  /** The message of a refusal. */
  readonly message?: string
}

export const SERVED: Reason = { code: 'served' }
export const FORCED: Reason = { code: 'forced' }

/** The effect of a fault rule on a request. The rule itself may be gone when this is read. */
export interface Acted {
  /** The id of the rule, or the trigger key that acted like one. */
  readonly rule: string
  readonly effect: FaultEffect
  /** `after`: the request was carried out first. */
  readonly when: 'before' | 'after'
  /** How long the rule delayed or held it, in milliseconds of real time. */
  ms?: number
  /** A hold that nothing released: it ended after this duration. */
  timeout?: string
  /** The answer that was lost or replaced; undefined if nothing was carried out. */
  lost?: { readonly status: number; readonly reason: Reason }
}

/** The change by a request. */
export interface Changed {
  readonly change: 'created' | 'updated' | 'deleted'
  /** The id of the pet; a text if it was read from a recording. */
  readonly id: Pet['id'] | string
  /** How many pets there were afterwards. */
  readonly pets: number
}
