import { NO_PETS, Pets, type PetTable } from '../../world/pets/collection.ts'
import type { StoredNamespace } from '../../world/store.ts'
import { ofFirstVersion } from './log-lines.ts'
import {
  idOf,
  type JsonObject,
  keysOf,
  membersOf,
  nameOf,
  namespaceOf,
  objectOf,
  type PetReader,
  seqOf,
  ValidationError,
} from './validation.ts'

/** The members of each kind of line, without its number and namespace. */
const MEMBERS = {
  create: ['shelf', 'pet'],
  update: ['shelf', 'pet'],
  delete: ['shelf', 'id'],
  replace: ['state'],
  keys: ['keys'],
  drop: ['at'],
  rewrite: [],
} as const

type Op = keyof typeof MEMBERS

/** The state after the data file and the lines of the log that follow it. */
export class LogState {
  /** The sequence number of the last line. */
  seq: number
  /** Dropped namespaces, each with its time in milliseconds since the epoch. */
  readonly dropped = new Map<string, number>()
  readonly found: Map<string, StoredNamespace>
  /** The pets that a line stored, by its number. */
  readonly #tables = new Map<number, PetTable>()
  readonly #reader: PetReader

  constructor(seq: number, namespaces: ReadonlyMap<string, StoredNamespace>, reader: PetReader) {
    this.seq = seq
    this.found = new Map(namespaces)
    this.#reader = reader
  }

  /** Applies the next line. Throws a ValidationError if it cannot follow the earlier ones. */
  take(value: unknown): void {
    const op = opOf(Object(value).op)
    const named = op === 'rewrite' ? [] : ['namespace']
    const line = membersOf(value, [], ['seq', 'op', ...named, ...MEMBERS[op]])
    const seq = seqOf(line.seq, ['seq'])
    if (seq !== this.seq + 1) {
      const reason = `must be ${this.seq + 1} here, but it is ${seq}: a change is missing or repeated`
      throw new ValidationError(['seq'], reason)
    }
    this.seq = seq
    if (op !== 'rewrite') this.#apply(op, nameOf(line.namespace, ['namespace']), line)
  }

  #apply(op: Exclude<Op, 'rewrite'>, name: string, line: JsonObject): void {
    switch (op) {
      case 'create':
      case 'update': {
        const pets = this.#collection(name, line)
        const pet = this.#reader.petOf(line.pet, ['pet'])
        if (op === 'update' && !pets.get(pet.id)) throw noPet(pet.id)
        if (op === 'create' && pet.id < pets.nextId)
          throw new ValidationError(['pet', 'id'], `must be ${pets.nextId} or more`)
        pets.put(pet)
        break
      }
      case 'delete': {
        const id = idOf(line.id, ['id'])
        if (!this.#collection(name, line).delete(id)) throw noPet(id)
        break
      }
      case 'replace':
        this.found.set(name, this.#stateOf(line.state))
        break
      case 'keys':
        this.found.set(name, { ...this.#namespace(name), keys: keysOf(line.keys, []) })
        break
      case 'drop':
        this.found.delete(name)
        this.dropped.set(name, seqOf(line.at, ['at']))
    }
  }

  #stateOf(value: unknown): StoredNamespace {
    const { petsOf, ...members } = objectOf(value, ['state'])
    const table = this.#tables.get(Number(petsOf))
    if (petsOf !== undefined && !table)
      throw new ValidationError(['state', 'petsOf'], 'must be the number of an earlier line with pets')
    const state = namespaceOf({ ...(table && { pets: [] }), ...members }, ['state'], this.#reader)
    if (table) return { ...state, pets: new Pets(table) }
    this.#tables.set(this.seq, state.pets.table)
    return state
  }

  #collection(name: string, { shelf }: JsonObject): Pets {
    if (shelf !== 'pets' && shelf !== 'empty') throw new ValidationError(['shelf'], 'must be pets or empty')
    return this.#namespace(name)[shelf]
  }

  #namespace(name: string): StoredNamespace {
    const known = this.found.get(name) ?? { pets: new Pets(NO_PETS), empty: new Pets(NO_PETS), keys: [] }
    this.found.set(name, known)
    return known
  }
}

const noPet = (id: unknown): ValidationError =>
  new ValidationError(['id'], `must be that of a pet, but there is no pet ${id}`)

function opOf(value: unknown): Op {
  if (value === 'table' || value === 'fresh') throw ofFirstVersion()
  if (typeof value === 'string' && Object.hasOwn(MEMBERS, value)) return value as Op
  throw new ValidationError(['op'], `must be one of ${Object.keys(MEMBERS).join(', ')}`)
}
