import type { components, paths } from '../contract/generated/control.types.d.ts'

type Schemas = components['schemas']

export type Paths = paths
export type Entry = Schemas['JournalEntry']
export type Clock = Schemas['Clock']
export type Fault = Schemas['Fault']
export type NewFault = Schemas['NewFault']
export type KeyLimits = Schemas['KeyLimits']
export type Key = Schemas['Key']
export type Namespace = Schemas['Namespace']
export type Report = Schemas['Report']
export type Decision = Schemas['Decision']
export type Snapshot = Schemas['Snapshot']
export type PetStatus = Schemas['PetStatus']
