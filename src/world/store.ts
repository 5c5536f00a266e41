import type { Pets } from './pets/collection.ts'
import type { CompleteFixture, FixtureKey } from './pets/fixture.ts'
import type { Int64, Pet } from './pets/pet.ts'

/** A stored key. `issued`: it was created while the sandbox ran. */
export type StoredKey = FixtureKey

/** Names the pets of a namespace, or the pets of the key psk_empty. */
export type CollectionName = 'pets' | 'empty'

/** The part of a namespace that survives a restart. */
export interface StoredNamespace extends Readonly<Record<CollectionName, Pets>> {
  readonly keys: readonly StoredKey[]
}

interface PetChange {
  readonly namespace: string
  readonly collection: CollectionName
  readonly pet: Pet
  /** The pet as JSON. */
  readonly json: string
}

/** One durable change, in the order of the log. */
export type Change =
  | (PetChange & { readonly op: 'create' | 'update' })
  | {
      readonly op: 'delete'
      readonly namespace: string
      readonly collection: CollectionName
      readonly id: Int64
    }
  /** Replaces all that is stored of the namespace. `state` never changes afterwards. */
  | { readonly op: 'replace'; readonly namespace: string; readonly state: StoredNamespace }
  | {
      readonly op: 'keys'
      readonly namespace: string
      /** All own keys of the namespace. */
      readonly keys: readonly StoredKey[]
    }
  | { readonly op: 'drop'; readonly namespace: string }

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
