import { NO_PETS, Pets } from '../../world/pets/collection.ts'
import type { Pet } from '../../world/pets/pet.ts'
import type { CollectionName, StoredKey, StoredNamespace } from '../../world/stored.ts'
import type { DataFile } from './data-file.ts'
import type { LogLine } from './log-lines.ts'
import { ValidationError } from './validation.ts'

interface NamespaceDraft {
  pets: Pets
  empty?: Pets
  keys: readonly StoredKey[]
}

/** The state that results from the data file and the lines of the log. */
export class LogReplay {
  /** The sequence number of the last line that was read, or that the data file holds. */
  seq: number
  /** Dropped namespaces, each with its time in milliseconds since the epoch. */
  readonly dropped = new Map<string, number>()
  /**
   * Namespaces whose pets were replaced by those of a data file that was never written: what the log says of them from
   * there on was never confirmed, and does not count.
   */
  readonly unwritten = new Set<string>()
  readonly #held: number
  readonly #namespaces: Map<string, NamespaceDraft>

  constructor({ seq, namespaces }: Pick<DataFile, 'seq' | 'namespaces'>) {
    this.seq = seq
    this.#held = seq
    this.#namespaces = new Map(Array.from(namespaces, ([name, stored]) => [name, { ...stored }]))
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
    const { namespace } = line
    if (line.op === 'undo') this.unwritten.delete(namespace)
    else if (line.op === 'replace' && !line.state) this.unwritten.add(namespace)
    if (this.unwritten.has(namespace)) return
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
        if (line.state) this.#namespaces.set(namespace, { ...line.state })
        break
      case 'keys':
        this.#namespace(namespace).keys = line.keys
        break
      case 'drop':
        this.#namespaces.delete(namespace)
        this.dropped.set(namespace, line.at)
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
