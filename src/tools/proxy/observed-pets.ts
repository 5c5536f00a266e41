import type { Operation } from '../../contract/openapi/contract.ts'
import { jsonOf } from '../../contract/openapi/json.ts'
import type { PetShape } from '../../contract/openapi/pet-shape.ts'
import type { CompleteFixture } from '../../world/pets/fixture.ts'
import type { Int64, Pet } from '../../world/pets/pet.ts'

/** The responses with pets: those of an operation of the interface, or of one that changes a pet. */
const WITH_PETS = ['listPets 200', 'createPet 201', 'getPet 200', 'update 200', 'replace 200']

/**
 * Collects the pets in responses. The latest pet with an id replaces earlier ones. `complete`: validates and completes a
 * fixture; throws if it is invalid.
 */
export function createObservedPets(shape: PetShape, complete: (input: unknown) => CompleteFixture) {
  const pets = new Map<Int64, Pet>()
  let hasSeen = false

  return {
    see(operation: Pick<Operation, 'id' | 'change'> | undefined, status: number, body: string): void {
      if (!WITH_PETS.includes(`${operation?.change ?? operation?.id} ${status}`)) return
      hasSeen = true
      for (const value of [jsonOf(body)].flat()) {
        const pet = petOf(value)
        if (pet) pets.set(pet.id, pet)
      }
    },
    /** Undefined if no response could contain pets. */
    fixture: () => (hasSeen ? complete({ pets: [...pets.values()] }) : undefined),
  }

  /** Undefined for an invalid pet, which is reported as a violation. */
  function petOf(value: unknown): Pet | undefined {
    const { id, ...fields } = shape.pick(Object(value))
    if (id === undefined) return undefined
    try {
      return complete({ pets: [{ id, ...fields }] }).pets[0]
    } catch {
      return undefined
    }
  }
}
