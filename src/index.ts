export { ControlError } from './client/control-error.ts'
export type { RequestFilter, Waiting, WorldHandle as World } from './client/world.ts'
export { type RecordingDifference, type Replay, type ReplayOptions, replay } from './compose/replay.ts'
export {
  createSandbox,
  type Middleware,
  type Sandbox,
  type SandboxHandler,
  type SandboxInfo,
  type SandboxOptions,
} from './compose/sandbox.ts'
export type { NewPet, Pet, PetStatus } from './contract/generated/animal-store.types.d.ts'
export type {
  ClockView,
  FaultEffect,
  FaultInput,
  FaultMatch,
  FaultRule,
  Fixture,
  HoldUntil,
  HoldView,
  JournalEntry,
  KeyView,
  LimitsView,
  Report,
  RequestMatch,
  ResetPart,
  Seed,
  SnapshotView,
  Times,
} from './contract/generated/control.types.d.ts'
