import { AUTHENTICATION } from './authentication.ts'
import { BODIES } from './bodies.ts'
import type { Check } from './check.ts'
import { CONNECTION } from './connection.ts'
import { CREATION } from './creation.ts'
import { DEPRECATION } from './deprecation.ts'
import { EXHAUSTION } from './exhaustion.ts'
import { LIMITS } from './limits.ts'
import { LISTS } from './lists.ts'
import { READING } from './reading.ts'
import { REFUSALS } from './refusals.ts'
import { UNSHOWN, UNSHOWN_BEHIND } from './unshown.ts'

/** Every check, in the order in which they run: what reads, what writes, and what looks at all that came. */
export const CHECKS: readonly Check[] = [
  ...CONNECTION,
  ...LISTS,
  ...READING,
  ...AUTHENTICATION,
  ...UNSHOWN,
  ...CREATION,
  ...REFUSALS,
  ...EXHAUSTION,
  ...BODIES,
  ...LIMITS,
  ...DEPRECATION,
  ...UNSHOWN_BEHIND,
]
