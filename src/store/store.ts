import type { Fixture, FixtureKey } from '../domain/pets/fixture.ts'
import type { Change, NamespaceView, PetsView, StoredNamespace } from '../domain/world/stored.ts'

/** Where the state of all namespaces is kept: in a data file with its change log, or in memory only. */
export interface Store {
  /** What was found at start, by namespace; empty where the data file held nothing. */
  readonly found: ReadonlyMap<string, StoredNamespace>
  /**
   * Tells, once there are worlds, where their state is read from: every stored namespace as it is at that
   * instant, with all changes that were applied; nothing is copied. The data file is written from then on.
   */
  connect(view: () => ReadonlyMap<string, NamespaceView>): void
  /**
   * Makes a change durable, then calls `apply`; both in the order of the calls. Resolves after `apply` ran;
   * undefined: it ran already. Rejects with a 503 Problem where the change could not be written: it was not
   * applied, nor was any that was waiting behind it.
   */
  append(change: Change, apply: () => void): Promise<void> | undefined
  readonly snapshots: Snapshots
  /** Writes what is waiting and lets go of everything, within about that many milliseconds. */
  close(budgetMs: number): Promise<void>
}

/** Named copies of namespaces. They stay until they are deleted, or their namespace is dropped. */
export interface Snapshots {
  /** Saves under that name, in place of what was there; `at` is in milliseconds since the epoch. */
  save(namespace: string, name: string, content: SnapshotContent, at: number): Promise<SnapshotInfo>
  read(namespace: string, name: string): Promise<Fixture | undefined>
  /** Oldest first. */
  list(namespace: string): Promise<readonly SnapshotInfo[]>
  /** False where there is none of that name. */
  delete(namespace: string, name: string): Promise<boolean>
}

export interface SnapshotContent {
  readonly pets: PetsView
  readonly keys: readonly FixtureKey[]
}

export interface SnapshotInfo {
  readonly name: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly pets: number
}
