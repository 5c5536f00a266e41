import type { paths } from '../../contract/generated/control.types.d.ts'

export type {
  ClockTurn,
  ClockView as Clock,
  DecisionView as Decision,
  FaultInput as NewFault,
  FaultRule as Fault,
  HoldView as Hold,
  JournalEntry as Entry,
  KeyView as Key,
  LimitsView as Limits,
  Namespace,
  Point,
  Report,
  SnapshotView as Snapshot,
  StateDiff,
} from '../../contract/generated/control.types.d.ts'

/** The calls of the control API as openapi-fetch takes them, whose types know no readonly arrays. */
export type Paths = Mutable<paths>

type Mutable<T> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? { -readonly [Name in keyof T]: Mutable<T[Name]> }
    : T
