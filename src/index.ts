export {
  type ClockView,
  ControlError,
  type LimitsView,
  type RequestFilter,
  type RequestMatch,
  type Seed,
  type SnapshotView,
  type Times,
  type World,
} from './client/world.ts'
export type { JournalEntry } from './domain/exchange.ts'
export type { FaultEffect, FaultInput, FaultMatch, FaultRule } from './domain/fault.ts'
export type { Fixture } from './domain/fixture.ts'
export type { KeyView } from './domain/key.ts'
export type { NewPet, Pet, PetStatus } from './domain/pet.ts'
export type { Report } from './domain/report.ts'
export type { ResetPart } from './domain/reset.ts'
export { createSandbox, type Sandbox, type SandboxInfo, type SandboxOptions } from './sandbox.ts'
