import type { Body } from '../../contract/openapi/contract.ts'
import type { NewPet } from '../../world/pets/pet.ts'
import { type InvalidBody, invalidBodies } from './invalid-bodies.ts'
import { leavesOf, UNKNOWN_ID, withValue } from './values.ts'

/** Two valid bodies of createPet: with every field, and with the required fields only. */
export interface NewPetSamples {
  readonly full: NewPet
  readonly required: NewPet
}

/** Bodies for createPet, made from the contract. */
export interface NewPets {
  /** The three pets that a run adds. The interface cannot remove them, so there are no more. */
  readonly full: NewPet
  /** Its integers are beyond 2^53 where the contract allows that. */
  readonly required: NewPet
  readonly withId: NewPet
  /** A valid body that must not be stored; its texts and integers contain the mark of the run. */
  readonly refused: (mark: number) => NewPet
  readonly invalid: readonly InvalidBody[]
}

const BEYOND_SAFE = 2n ** 53n + 1n

export function newPets({ schema, validate }: Body, samples: NewPetSamples): NewPets {
  /** The pet with this text and this integer wherever the contract accepts them. */
  const marked = (pet: NewPet, text: string, integer: number | bigint): NewPet =>
    leavesOf(pet).reduce((before, { path, value }) => {
      if (typeof value !== 'string' && typeof value !== 'number') return before
      const after = withValue(before, path, typeof value === 'string' ? text : integer)
      return validate(after) ? after : before
    }, pet)
  const full = marked(samples.full, 'Contract check', 2)
  const refused = (mark: number) => marked(samples.full, `refused ${mark}`, mark)
  return {
    full,
    required: marked(samples.required, 'Contract check, required fields', BEYOND_SAFE),
    withId: { id: UNKNOWN_ID, ...marked(samples.required, 'Contract check, own id', 2) },
    refused,
    invalid: invalidBodies(schema, refused, validate),
  }
}
