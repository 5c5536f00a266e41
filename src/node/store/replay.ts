import { NO_PETS, Pets } from '../../world/pets/collection.ts'
import type { Pet } from '../../world/pets/pet.ts'
import type { CollectionName, StoredKey, StoredNamespace } from '../../world/stored.ts'
import type { LogLine } from './log-line.ts'
import { ValidationError } from './shape.ts'
import type { DataFile } from './text.ts'

interface NamespaceDraft {
  pets: Pets
  empty?: Pets
  keys: readonly StoredKey[]
}

/** The state that results from the data file and the lines of the log. */
export class Replay {
  /** The sequence number of the last line that was read, or that the data file holds. */
  seq: number
  /** Dropped namespaces, each with its time in milliseconds since the epoch. */
  readonly dropped = new Map<string, number>()
  readonly #held: number
  readonly #namespaces: Map<string, NamespaceDraft>

  constructor({ seq, namespaces }: Pick<DataFile, 'seq' | 'namespaces'>) {
    this.seq = seq
    this.#held = seq
    this.#namespaces = new Map(Array.from(namespaces, ([name, stored]) => [name, { ...stored }]))
  }

  /** A new file of the log begins; its lines are numbered from there. */
  begin(seq: number): void {
    this.seq = seq
  }

  /** Applies the next line; throws a ValidationError if it cannot follow the earlier ones. */
  take(line: LogLine): void {
    if (line.seq !== this.seq + 1) {
      throw new ValidationError(
        ['seq'],
        `must be ${this.seq + 1} here, but it is ${line.seq}: a change is missing or double`,
      )
    }
    if (line.seq > this.#held) this.#apply(line)
    this.seq = line.seq
  }

  found(): Map<string, StoredNamespace> {
    return this.#namespaces
  }

  #apply(line: LogLine): void {
    switch (line.op) {
      case 'create': {
        const pets = this.#collection(line)
        if (line.pet.id < pets.nextId)
          throw new ValidationError(['pet', 'id'], `must be ${pets.nextId} or more`)
        pets.put(line.pet)
        break
      }
      case 'update':
        this.#existing(line, line.pet.id).put(line.pet)
        break
      case 'delete':
        this.#existing(line, line.id).delete(line.id)
        break
      case 'replace':
        this.#namespaces.set(line.namespace, { ...line.state })
        break
      case 'keys':
        this.#namespace(line.namespace).keys = line.keys
        break
      case 'drop':
        this.#namespaces.delete(line.namespace)
        this.dropped.set(line.namespace, line.at ?? 0)
    }
  }

  #collection({ namespace, collection }: { namespace: string; collection: CollectionName }): Pets {
    const draft = this.#namespace(namespace)
    draft[collection] ??= new Pets(NO_PETS)
    return draft[collection]
  }

  /** The collection that has a pet with this id. */
  #existing(place: { namespace: string; collection: CollectionName }, id: Pet['id']): Pets {
    const pets = this.#collection(place)
    if (!pets.get(id)) throw new ValidationError(['id'], `must be that of a pet, but there is no pet ${id}`)
    return pets
  }

  #namespace(name: string): NamespaceDraft {
    const known = this.#namespaces.get(name) ?? { pets: new Pets(NO_PETS), keys: [] }
    this.#namespaces.set(name, known)
    return known
  }
}
