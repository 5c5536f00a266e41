import { getControlDocument, getDeprecationNotes, getHealth, listDecisions } from './about.ts'
import { getClock, resetClock, turnClock } from './clock.ts'
import type { Handler } from './context.ts'
import { addFault, clearFaults, listFaults, removeFault } from './faults.ts'
import { createKey, listKeys, revokeKey } from './keys.ts'
import { banKey, getKeyLimits, liftBan, refillKeyLimits } from './limits.ts'
import { dropNamespace, listNamespaces } from './namespaces.ts'
import { exportNamespace, reset } from './pets.ts'
import { clearRequests, getReport, listRequests, streamEvents } from './requests.ts'
import { seed } from './seed.ts'
import { deleteSnapshot, getSnapshot, listSnapshots, restoreSnapshot, saveSnapshot } from './snapshots.ts'
import { verifyRequests } from './verify.ts'

/** What the control API can do, by `operationId`. */
export const controlOperations: Readonly<Record<string, Handler>> = {
  getHealth,
  getControlDocument,
  listDecisions,
  getDeprecationNotes,
  reset,
  seed,
  exportNamespace,
  listSnapshots,
  saveSnapshot,
  getSnapshot,
  deleteSnapshot,
  restoreSnapshot,
  listKeys,
  createKey,
  revokeKey,
  getKeyLimits,
  refillKeyLimits,
  banKey,
  liftBan,
  getClock,
  turnClock,
  resetClock,
  listFaults,
  addFault,
  clearFaults,
  removeFault,
  listRequests,
  clearRequests,
  verifyRequests,
  getReport,
  streamEvents,
  listNamespaces,
  dropNamespace,
}
