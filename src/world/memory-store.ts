import { oldestFirst, type SnapshotContent, type SnapshotInfo, type Snapshots, type Store } from './store.ts'

/**
 * A store without a file: its content is lost when the process ends. `checkSaved`: called before a snapshot is saved, with
 * the number of pets in all snapshots of its namespace then; may throw to refuse it. Without it, snapshots count as state.
 */
export function createMemoryStore(checkSaved?: (pets: number) => void): Store {
  const saved = new Map<string, Map<string, { readonly info: SnapshotInfo } & SnapshotContent>>()
  const snapshots: Snapshots = {
    namespaces: () => [...saved.keys()],
    inMemory: checkSaved ? undefined : (namespace) => saved.get(namespace) ?? new Map(),
    async save(namespace, name, content, at) {
      const info = { name, at, pets: content.pets.size }
      const all = new Map(saved.get(namespace)).set(name, { info, ...content })
      checkSaved?.([...all.values()].reduce((sum, { pets }) => sum + pets.size, 0))
      saved.set(namespace, all)
      return info
    },
    async read(namespace, name) {
      const found = saved.get(namespace)?.get(name)
      return found && { pets: [...found.pets.values()], nextId: found.pets.nextId, keys: found.keys }
    },
    async list(namespace) {
      return Array.from(saved.get(namespace)?.values() ?? [], ({ info }) => info).sort(oldestFirst)
    },
    async delete(namespace, name) {
      const all = saved.get(namespace)
      const wasThere = all?.delete(name) ?? false
      if (all?.size === 0) saved.delete(namespace)
      return wasThere
    },
  }
  return {
    found: new Map(),
    connect: () => {},
    append: (change) => {
      if (change.op === 'drop') saved.delete(change.namespace)
    },
    durable: () => undefined,
    snapshots,
    close: async () => {},
  }
}
