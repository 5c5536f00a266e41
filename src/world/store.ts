import type { Pets } from './pets/collection.ts'
import type { Fixture, FixtureKey } from './pets/fixture.ts'
import type { Change, StoredNamespace } from './stored.ts'

/** Keeps the state of all namespaces: in a data file with its change log, or in memory only. */
export interface Store {
  /** The state found at start, by namespace; empty if nothing was stored. */
  readonly found: ReadonlyMap<string, StoredNamespace>
  /**
   * Provides the function that reads the current state of every stored namespace, with all applied changes and without
   * copying. The data file is written from then on.
   */
  connect(view: () => ReadonlyMap<string, StoredNamespace>): void
  /**
   * Stores a change that has been applied. Where it cannot be written, `undo` is called, after that of every later
   * change that cannot be written either. Where it cannot even be taken, `undo` is called at once, and it throws a 503
   * ApiError.
   */
  append(change: Change, undo: () => void): void
  /**
   * Resolves once all changes of a namespace so far are durable (without a name: what this turn of the event loop has
   * changed); undefined if none is waiting. Rejects with a 503 ApiError when they were undone.
   */
  durable(namespace?: string): Promise<void> | undefined
  readonly snapshots: Snapshots
  /** Writes pending changes and closes all files, within about that many milliseconds. */
  close(budgetMs: number): Promise<void>
}

/** Named copies of namespaces. They stay until they are deleted, or their namespace is dropped. */
export interface Snapshots {
  /** Saves under that name, replacing an existing snapshot; `at` in milliseconds since the epoch. */
  save(namespace: string, name: string, content: SnapshotContent, at: number): Promise<SnapshotInfo>
  read(namespace: string, name: string): Promise<Fixture | undefined>
  /** Oldest first. */
  list(namespace: string): Promise<readonly SnapshotInfo[]>
  /** False if there is none of that name. */
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
