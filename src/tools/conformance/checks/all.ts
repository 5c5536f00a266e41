import type { RecordShape } from '../../../contract/openapi/record-shape.ts'
import type { Check } from '../check.ts'
import type { NewPets } from '../new-pets.ts'
import { AUTHENTICATION } from './authentication.ts'
import { bodyChecks } from './bodies.ts'
import { CONNECTION } from './connection.ts'
import { CREATION } from './create-pet.ts'
import { DEPRECATION } from './deprecation.ts'
import { EXHAUSTION } from './exhaustion.ts'
import { GET_PET } from './get-pet.ts'
import { LIMITS } from './limits.ts'
import { listChecks } from './list-pets.ts'
import { refusalChecks } from './refusals.ts'
import { UNSPECIFIED, UNSPECIFIED_AFTER } from './unspecified.ts'

/** Every check, in the order in which they run: those that read, those that write, those that inspect all responses. */
export const checksOf = (shape: RecordShape, pets: NewPets): readonly Check[] => [
  ...CONNECTION,
  ...listChecks(shape),
  ...GET_PET,
  ...AUTHENTICATION,
  ...UNSPECIFIED,
  ...CREATION,
  ...refusalChecks(pets),
  ...EXHAUSTION,
  ...bodyChecks(shape),
  ...LIMITS,
  ...DEPRECATION,
  ...UNSPECIFIED_AFTER,
]
