import type { JsonPath } from '../../contract/openapi/json-positions.ts'
import type { RecordShape } from '../../contract/openapi/record-shape.ts'
import type { Pet } from '../../world/pets/pet.ts'
import { objectOf, type PetsOf, ValidationError } from './shape.ts'

/** Reads stored pets. Fields that the contract does not declare are kept: an overlay may have declared them before. */
export class PetReader {
  /** The names of those fields. */
  readonly undeclared = new Set<string>()
  readonly #shape: RecordShape

  constructor(shape: RecordShape) {
    this.#shape = shape
  }

  /** The fast check for plain pets; a file may hold a million. */
  isPlain = (value: unknown): value is Pet => this.#shape.isPlain(value)

  /** A valid pet; throws a ValidationError. */
  petOf = (value: unknown, path: JsonPath): Pet => {
    if (this.isPlain(value)) return value
    const pet = objectOf(value, path)
    const [fault] = this.#shape.faults(pet)
    if (fault) throw new ValidationError([...path, ...fault.path], fault.reason)
    if (pet.id === undefined)
      throw new ValidationError([...path, 'id'], 'must be an integer (int64) of at least 0')
    for (const name of this.#shape.unknown(pet)) this.undeclared.add(name)
    return pet as Pet
  }

  petsOf: PetsOf = (value, path) => {
    if (!Array.isArray(value)) throw new ValidationError(path, 'must be an array')
    return value.map((pet, index) => this.petOf(pet, [...path, index]))
  }
}
