import type { Pets, PetTable } from '../domain/pets/collection.ts'
import type { Fixture, FixtureKey } from '../domain/pets/fixture.ts'
import type { Change, StoredNamespace } from '../domain/world/stored.ts'

/** Where the state of all namespaces is kept: in a data file with its change log, or in memory only. */
export interface Store {
  /** What was found at start, by namespace; empty where the data file held nothing. */
  readonly found: ReadonlyMap<string, StoredNamespace>
  /**
   * Tells, once there are worlds, where their state is read from: every stored namespace as it is at that
   * instant, with all changes that were applied; nothing is copied. The data file is written from then on.
   */
  connect(view: () => ReadonlyMap<string, StoredNamespace>): void
  /**
   * Takes a change that has been applied. The promise is that of all changes of this turn of the event loop: it
   * rejects with a 503 ApiError where they could not be written. Undefined: there is nothing to wait for.
   */
  append(change: Change): Promise<void> | undefined
  /**
   * Makes a large table ready for a change that names it, which then takes no time; undefined where that is not
   * needed. Rejects with a 503 ApiError.
   */
  prepare(table: PetTable): Promise<void> | undefined
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
  readonly pets: Pets
  readonly keys: readonly FixtureKey[]
}

export interface SnapshotInfo {
  readonly name: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly pets: number
}
