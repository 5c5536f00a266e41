import type { CompleteFixture } from './pets/fixture.ts'
import type { SnapshotContent, SnapshotInfo, Snapshots, Store } from './store.ts'

/** A store without a file: its content is lost when the process ends. */
export function createMemoryStore(found: Store['found'] = new Map()): Store {
  const snapshots = new MemorySnapshots()
  return {
    found,
    connect: () => {},
    append: (change) => {
      if (change.op === 'drop') snapshots.drop(change.namespace)
    },
    durable: () => undefined,
    snapshots,
    close: async () => {},
  }
}

class MemorySnapshots implements Snapshots {
  readonly #saved = new Map<
    string,
    Map<string, { readonly info: SnapshotInfo; readonly content: SnapshotContent }>
  >()

  async save(namespace: string, name: string, content: SnapshotContent, at: number): Promise<SnapshotInfo> {
    const info = { name, at, pets: content.pets.size }
    const saved = this.#saved.get(namespace) ?? new Map()
    this.#saved.set(namespace, saved.set(name, { info, content }))
    return info
  }

  async read(namespace: string, name: string): Promise<CompleteFixture | undefined> {
    const saved = this.#saved.get(namespace)?.get(name)?.content
    return saved && { pets: [...saved.pets.values()], nextId: saved.pets.nextId, keys: saved.keys }
  }

  async list(namespace: string): Promise<SnapshotInfo[]> {
    const infos = Array.from(this.#saved.get(namespace)?.values() ?? [], ({ info }) => info)
    return infos.sort((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1))
  }

  async delete(namespace: string, name: string): Promise<boolean> {
    return this.#saved.get(namespace)?.delete(name) ?? false
  }

  drop(namespace: string): void {
    this.#saved.delete(namespace)
  }
}
