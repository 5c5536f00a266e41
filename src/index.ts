import type { components } from './contract/generated/animal-store.types.d.ts'

export {
  type ClockView,
  ControlError,
  type HoldView,
  type LimitsView,
  type RequestFilter,
  type RequestMatch,
  type Seed,
  type SnapshotView,
  type Times,
  type Waiting,
  type World,
} from './client/world.ts'
export {
  createSandbox,
  type Middleware,
  type Sandbox,
  type SandboxHandler,
  type SandboxInfo,
  type SandboxOptions,
} from './compose/sandbox.ts'
export type { KeyView } from './domain/limits/key.ts'
export type { Fixture } from './domain/pets/fixture.ts'
export type { JournalEntry } from './domain/traffic/exchange.ts'
export type { FaultEffect, FaultInput, FaultMatch, FaultRule } from './domain/traffic/fault.ts'
export type { Hold, HoldUntil } from './domain/traffic/hold.ts'
export type { Report } from './domain/traffic/report.ts'
export type { ResetPart } from './domain/world/reset.ts'

type Schemas = components['schemas']
export type Pet = Schemas['Pet']
export type NewPet = Schemas['NewPet']
export type PetStatus = Schemas['PetStatus']
