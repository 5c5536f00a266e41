import type { Check } from '../check.ts'
import { AUTHENTICATION } from './authentication.ts'
import { BODIES } from './bodies.ts'
import { CONNECTION } from './connection.ts'
import { CREATION } from './create-pet.ts'
import { DEPRECATION } from './deprecation.ts'
import { EXHAUSTION } from './exhaustion.ts'
import { GET_PET } from './get-pet.ts'
import { INVALID_BODIES } from './invalid-bodies.ts'
import { LIMITS } from './limits.ts'
import { LISTS } from './list-pets.ts'
import { UNSPECIFIED, UNSPECIFIED_AFTER } from './unspecified.ts'

/** Every check, in the order in which they run: those that read, those that write, those that inspect all responses. */
export const CHECKS: readonly Check[] = [
  ...CONNECTION,
  ...LISTS,
  ...GET_PET,
  ...AUTHENTICATION,
  ...UNSPECIFIED,
  ...CREATION,
  ...INVALID_BODIES,
  ...EXHAUSTION,
  ...BODIES,
  ...LIMITS,
  ...DEPRECATION,
  ...UNSPECIFIED_AFTER,
]
