import { about } from './about.ts'
import { clock } from './clock.ts'
import { faults } from './faults.ts'
import { history } from './history.ts'
import { inspector } from './inspector.ts'
import { keys } from './keys.ts'
import { namespaces } from './namespaces.ts'
import type { OperationHandlers } from './operation.ts'
import { pets } from './pets.ts'
import { requests } from './requests.ts'
import { resending } from './resend.ts'
import { seeding } from './seed.ts'
import { snapshots } from './snapshots.ts'
import { waiting } from './wait.ts'

/** The handlers of the control API, by `operationId`. */
export const controlOperations = {
  ...about,
  ...pets,
  ...seeding,
  ...snapshots,
  ...keys,
  ...clock,
  ...faults,
  ...requests,
  ...resending,
  ...waiting,
  ...history,
  ...namespaces,
  ...inspector,
} satisfies OperationHandlers
