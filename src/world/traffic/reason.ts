import type { FaultEffect } from '../../contract/generated/control.types.d.ts'
import type { Pet } from '../pets/pet.ts'

/** The reason of an answer. Created by the code that decides; turned into words only when it is shown. */
export interface Reason {
  /** `served`, `forced`, or the code of a refusal before a rename. */
  readonly code: string
  /** The message of a refusal. */
  readonly message?: string
}

export const SERVED: Reason = { code: 'served' }
export const FORCED: Reason = { code: 'forced' }

/** The effect of a fault rule on a request. The rule itself may be deleted later. */
export interface Acted {
  /** The id of the rule, or the trigger key with this effect. */
  readonly rule: string
  readonly effect: FaultEffect
  /** `after`: the request was carried out first. */
  readonly when: 'before' | 'after'
  /** The time that the rule delayed or held it, in milliseconds of real time. */
  ms?: number
  /** The timeout of a hold that ended because nothing released it. */
  timeout?: string
  /** A hold was released, not ended by an answer. */
  released?: true
  /** The answer that was lost or replaced; undefined if nothing was carried out. */
  lost?: { readonly status: number; readonly reason: Reason }
}

/** The change that a request made. */
export interface Changed {
  readonly change: 'created' | 'updated' | 'deleted'
  /** The id of the pet; a string if it was read from a recording. */
  readonly id: Pet['id'] | string
  /** The number of pets after it. */
  readonly pets: number
}
