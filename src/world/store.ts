import type { CompleteFixture } from './pets/fixture.ts'
import type { Change, StoredNamespace } from './stored.ts'

/**
 * Keeps the state of all namespaces: in a data file with its change log, in memory only, or where the program that embeds
 * a core keeps it. An error of any kind that `append`, `durable` or `snapshots` throw or reject with, such as that a disk
 * is full, refuses the request with 503 and the message of the error.
 */
export interface Store {
  /** The stored state at start, by namespace; empty if nothing was stored. */
  readonly found: ReadonlyMap<string, StoredNamespace>
  /** `view`: reads the current state of every stored namespace, without copying. The data file is written from now on. */
  connect(view: () => ReadonlyMap<string, StoredNamespace>): void
  /**
   * Stores a change that was applied. If it cannot be written, `undo` is called; of several changes, that of the last
   * one is called first. If it cannot even be queued, `undo` is called at once, and this throws.
   */
  append(change: Change, undo: () => void): void
  /**
   * Resolves once all changes of a namespace so far are durable (without a name: what this turn of the event loop has
   * changed); undefined if none is waiting. Rejects when they were undone: the replies that wait for it become 503.
   */
  durable(namespace?: string): Promise<void> | undefined
  readonly snapshots: Snapshots
  /** Writes pending changes and closes all files, within about `budgetMs` milliseconds. */
  close(budgetMs: number): Promise<void>
}

/** Named copies of namespaces. They stay until they are deleted, or their namespace is dropped. */
export interface Snapshots {
  /** The namespaces that have some. */
  namespaces(): readonly string[]
  /** The snapshots of a namespace by name, if they count as state, like the pets of namespaces. */
  inMemory?(namespace: string): ReadonlyMap<string, SnapshotContent>
  /** Saves a snapshot, replacing one of the same name; `at` in milliseconds since the epoch. */
  save(namespace: string, name: string, content: SnapshotContent, at: number): Promise<SnapshotInfo>
  read(namespace: string, name: string): Promise<CompleteFixture | undefined>
  /** Oldest first. */
  list(namespace: string): Promise<readonly SnapshotInfo[]>
  /** Resolves to false if there is no snapshot of that name. */
  delete(namespace: string, name: string): Promise<boolean>
}

/** The order of a list of snapshots. */
export const oldestFirst = (one: SnapshotInfo, other: SnapshotInfo): number =>
  one.at - other.at || (one.name < other.name ? -1 : 1)

export type SnapshotContent = Pick<StoredNamespace, 'pets' | 'keys'>

export interface SnapshotInfo {
  readonly name: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly pets: number
}
