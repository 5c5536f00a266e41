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
  PointView,
  Report,
  RewindRequest as Rewind,
  SnapshotView as Snapshot,
  StateDiff,
  WindowView as Window,
} from '../../contract/generated/control.types.d.ts'

/** The control API for openapi-fetch, whose types do not accept readonly arrays. */
export type Paths = Mutable<paths>

type Mutable<T> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? { -readonly [Name in keyof T]: Mutable<T[Name]> }
    : T
