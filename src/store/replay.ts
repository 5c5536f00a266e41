import { following, type Int64, type Pet } from '../domain/pets/pet.ts'
import type {
  NamespaceView,
  PetsView,
  PetTable,
  Shelf,
  StoredKey,
  StoredNamespace,
} from '../domain/world/stored.ts'
import type { LogLine } from './log-codec.ts'
import { tableOf, ValidationError } from './shape.ts'
import type { DataFile } from './text.ts'
import { tableOfView } from './views.ts'

/** Pets that grow while the log is read; a table that others hold too is copied before it does. */
interface NamespaceDraft {
  table: PetTable
  own?: { readonly pets: Pet[]; nextId: Int64 }
}

interface Namespace {
  pets: NamespaceDraft
  empty?: NamespaceDraft
  keys: readonly StoredKey[]
}

/** What the data file and then the lines of the log amount to. */
export class Replay {
  /** The number of the last line that was read, or that the data file holds. */
  seq: number
  /** Namespaces that were dropped, each with when, in milliseconds since the epoch. */
  readonly dropped = new Map<string, number>()
  readonly #held: number
  readonly #namespaces: Map<string, Namespace>
  #parts = new Map<number, readonly Pet[]>()
  #tables = new Map<string, PetTable>()

  constructor({ seq, namespaces }: Pick<DataFile, 'seq' | 'namespaces'>) {
    this.seq = seq
    this.#held = seq
    this.#namespaces = new Map(Array.from(namespaces, ([name, view]) => [name, draftOfNamespace(view)]))
  }

  /** A new file of the log begins; its lines are numbered from there. */
  begin(seq: number): void {
    this.seq = seq
    this.#parts = new Map()
    this.#tables = new Map()
  }

  /** Takes the next line; throws a Misfit where it cannot follow those before it. */
  take(line: LogLine): void {
    if (line.seq !== this.seq + 1) {
      throw new ValidationError(
        ['seq'],
        `must be ${this.seq + 1} here, but it is ${line.seq}: a change is missing or double`,
      )
    }
    if (line.op === 'table') this.#parts.set(line.seq, line.pets)
    else if (line.seq > this.#held) this.#apply(line)
    this.seq = line.seq
  }

  found(): Map<string, StoredNamespace> {
    return new Map(
      Array.from(this.#namespaces, ([name, { pets, empty, keys }]) => [
        name,
        { pets: pets.own ?? pets.table, ...(empty && { empty: empty.own ?? empty.table }), keys },
      ]),
    )
  }

  #apply(line: Exclude<LogLine, { op: 'table' }>): void {
    if (line.op === 'create') this.#create(line.namespace, line.shelf, line.pet)
    if (line.op === 'replace') {
      const table = this.#table(line)
      const namespace = this.#namespace(line.namespace)
      namespace[line.shelf] = { table }
      if (line.keys) namespace.keys = line.keys
    }
    if (line.op === 'keys') this.#namespace(line.namespace).keys = line.keys
    if (line.op === 'drop') {
      this.#namespaces.delete(line.namespace)
      this.dropped.set(line.namespace, line.at ?? 0)
    }
  }

  #create(name: string, shelf: Shelf, pet: Pet): void {
    const namespace = this.#namespace(name)
    namespace[shelf] ??= { table: NO_PETS }
    const draft = namespace[shelf]
    draft.own ??= { pets: draft.table.pets.slice(), nextId: draft.table.nextId }
    if (pet.id < draft.own.nextId)
      throw new ValidationError(['pet', 'id'], `must be ${draft.own.nextId} or more`)
    draft.own.pets.push(pet)
    draft.own.nextId = following(pet.id)
  }

  #namespace(name: string): Namespace {
    const known = this.#namespaces.get(name) ?? { pets: { table: NO_PETS }, keys: [] }
    this.#namespaces.set(name, known)
    return known
  }

  /** The table that a line names; the same one for all who name it. */
  #table({ table: [first, last], nextId }: LogLine & { op: 'replace' }): PetTable {
    const name = `${first} ${last} ${nextId}`
    const known = this.#tables.get(name)
    if (known) return known
    const pets: Pet[] = []
    for (let seq = first; seq <= last; seq++) {
      const part = this.#parts.get(seq)
      if (!part) throw new ValidationError(['table'], `names line ${seq}, which defines no table`)
      for (const pet of part) pets.push(pet)
    }
    const table = tableOf(pets, nextId, [])
    this.#tables.set(name, table)
    return table
  }
}

const NO_PETS: PetTable = { pets: [], nextId: 1 }

const draftOf = (view: PetsView): NamespaceDraft => ({ table: tableOfView(view) })

const draftOfNamespace = ({ pets, empty, keys }: NamespaceView): Namespace => ({
  pets: draftOf(pets),
  ...(empty && { empty: draftOf(empty) }),
  keys,
})
