import { getControlDocument, getDeprecationNotes, getHealth, listDecisions } from './about.ts'
import { getClock, resetClock, turnClock } from './clock.ts'
import { diffStates, getState } from './diff.ts'
import { addFault, clearFaults, listFaults, removeFault } from './faults.ts'
import { fork, listHistory, rewind } from './history.ts'
import { listHolds, releaseHold } from './holds.ts'
import { getInspector, getInspectorAsset, getReference } from './inspector.ts'
import { createKey, listKeys, revokeKey } from './keys.ts'
import { setLabel } from './label.ts'
import { banKey, getKeyLimits, liftBan, refillKeyLimits, setKeyLimits } from './limits.ts'
import { callMcp } from './mcp.ts'
import { dropNamespace, listNamespaces } from './namespaces.ts'
import type { OperationHandlers } from './operation.ts'
import { listPetRange } from './pet-range.ts'
import { exportNamespace, reset } from './pets.ts'
import { getRecording } from './recording.ts'
import { clearRequests, getReport, listRequests, streamEvents } from './requests.ts'
import { resendRequest } from './resend.ts'
import { seed } from './seed.ts'
import { deleteSnapshot, getSnapshot, listSnapshots, restoreSnapshot, saveSnapshot } from './snapshots.ts'
import { verifyRequests } from './verify.ts'
import { waitForRequest } from './wait.ts'

/** The handlers of the control API, by `operationId`. */
export const controlOperations = {
  getHealth: { observe: getHealth },
  getControlDocument: { observe: getControlDocument },
  listDecisions: { observe: listDecisions },
  getDeprecationNotes: { observe: getDeprecationNotes },
  reset,
  seed,
  exportNamespace,
  listSnapshots: { observe: listSnapshots },
  saveSnapshot,
  getSnapshot: { observe: getSnapshot },
  deleteSnapshot,
  restoreSnapshot,
  listKeys,
  createKey,
  revokeKey,
  getKeyLimits,
  refillKeyLimits,
  setKeyLimits,
  banKey,
  liftBan,
  getClock,
  setLabel,
  turnClock,
  resetClock,
  listFaults,
  addFault,
  clearFaults,
  removeFault,
  listHolds,
  releaseHold,
  listRequests,
  clearRequests,
  verifyRequests: { observe: verifyRequests },
  waitForRequest: { observe: waitForRequest },
  getReport,
  streamEvents: { observe: streamEvents },
  getRecording: { observe: getRecording },
  listHistory,
  rewind,
  fork,
  listNamespaces,
  dropNamespace,
  callMcp: { observe: callMcp },
  listPetRange,
  diffStates: { observe: diffStates },
  getState: { observe: getState },
  resendRequest,
  getInspector: { observe: getInspector },
  getInspectorAsset: { observe: getInspectorAsset },
  getReference: { observe: getReference },
} satisfies OperationHandlers
