import { isObject } from '../../contract/openapi/json.ts'
import type { PetShape } from '../../contract/openapi/pet-shape.ts'
import { type JsonPath, pathText, refusedText } from '../../contract/openapi/validators.ts'
import type { FixtureProblem } from '../../fixtures/fixture-error.ts'
import { readKeys } from '../../fixtures/keys.ts'
import { NAMESPACE_FORM } from '../../world/keys/bearer-token.ts'
import { NO_PETS, Pets, type PetTable } from '../../world/pets/collection.ts'
import type { CompleteFixture } from '../../world/pets/fixture.ts'
import { following, type Int64, int64Of, nextIdOf, type Pet } from '../../world/pets/pet.ts'
import type { StoredKey, StoredNamespace } from '../../world/store.ts'

/** An invalid value: its path, the reason and the value. */
export class ValidationError extends Error {
  readonly path: JsonPath
  readonly fix: string | undefined
  constructor(path: JsonPath, reason: string, refused?: unknown, fix?: string) {
    super(`${path.length > 0 ? `${pathText(path)} ` : ''}${reason}${refusedText({ refused })}`)
    this.path = path
    this.fix = fix
  }
}

export type JsonObject = Readonly<Record<string, unknown>>

export function objectOf(value: unknown, path: JsonPath): JsonObject {
  if (isObject(value)) return value
  throw new ValidationError(path, 'must be an object')
}

/** An object with members of these names only. */
export function membersOf(value: unknown, path: JsonPath, names: readonly string[]): JsonObject {
  const members = objectOf(value, path)
  const unknown = Object.keys(members).find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw new ValidationError([...path, unknown], `is not known here (${names.join(', ')})`)
  return members
}

/** The name of a namespace. */
export function nameOf(value: unknown, path: JsonPath): string {
  if (typeof value === 'string' && NAMESPACE_FORM.test(value)) return value
  throw new ValidationError(path, 'must be the name of a namespace: 1 to 64 of A-Z a-z 0-9 _ -', value)
}

/** An integer from 0 to `max`, such as the sequence number of a change. */
export function seqOf(value: unknown, path: JsonPath, max = Number.MAX_SAFE_INTEGER): number {
  if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= max) return Number(value)
  throw new ValidationError(path, `must be an integer from 0 to ${max}`, value)
}

/** A checksum: 32 bits. */
export const checksumOf = (value: unknown, path: JsonPath): number => seqOf(value, path, 2 ** 32 - 1)

/** A table of pets, sorted by id. By default, `nextId` follows the highest id. */
function tableOf(pets: Pet[], nextId: Int64 | undefined, path: JsonPath): PetTable {
  const ascends = (pet: Pet, index: number): boolean => (pets[index - 1]?.id ?? -Infinity) < pet.id
  if (!pets.every(ascends)) pets.sort((a, b) => (a.id < b.id ? -1 : 1))
  const twice = pets.find((pet, index) => !ascends(pet, index))
  if (twice) throw new ValidationError([...path, 'pets'], `contain the id ${twice.id} twice`)
  const last = pets.at(-1)
  if (nextId === undefined) return { pets, nextId: last ? following(last.id) : 1 }
  if (last && nextId <= last.id)
    throw new ValidationError([...path, 'nextId'], `must be greater than the highest id (${last.id})`, nextId)
  return { pets, nextId }
}

export function idOf(value: unknown, path: JsonPath): Int64 {
  const id = int64Of(value)
  if (id !== undefined) return id
  throw new ValidationError(path, 'must be an integer (int64)', value)
}

function readNextId(value: unknown, path: JsonPath): Int64 {
  const nextId = nextIdOf(value)
  if (nextId !== undefined && nextId >= 0) return nextId
  throw new ValidationError(path, 'must be an integer (int64) of at least 0', value)
}

/** `path`: of the object with the member `keys`. */
export function keysOf(value: unknown, path: JsonPath): StoredKey[] {
  const problems: FixtureProblem[] = []
  const keys = readKeys(value, problems)
  const [problem] = problems
  if (!problem) return keys
  throw new ValidationError([...path, ...problem.path], problem.reason)
}

export function namespaceOf(value: unknown, path: JsonPath, reader: PetReader): StoredNamespace {
  const { empty, keys, ...collection } = membersOf(value, path, ['pets', 'nextId', 'keys', 'empty'])
  return {
    pets: new Pets(collectionOf(collection, path, reader)),
    empty: new Pets(empty === undefined ? NO_PETS : collectionOf(empty, [...path, 'empty'], reader)),
    keys: keysOf(keys, path),
  }
}

/** The content of a snapshot. */
export function snapshotOf(value: unknown, reader: PetReader): CompleteFixture {
  const { keys, ...collection } = membersOf(value, [], ['pets', 'nextId', 'keys'])
  return { ...collectionOf(collection, [], reader), keys: keysOf(keys, []) }
}

function collectionOf(value: unknown, path: JsonPath, reader: PetReader): PetTable {
  const members = membersOf(value, path, ['pets', 'nextId'])
  const nextId = members.nextId === undefined ? undefined : readNextId(members.nextId, [...path, 'nextId'])
  return tableOf(reader.petsOf(members.pets, [...path, 'pets']), nextId, path)
}

/** Reads stored pets. Fields that the contract does not declare are kept: an overlay may have declared them before. */
export class PetReader {
  /** The names of the undeclared fields. */
  readonly undeclared = new Set<string>()
  readonly #shape: PetShape

  constructor(shape: PetShape) {
    this.#shape = shape
  }

  /** A valid pet; throws a ValidationError. */
  petOf(value: unknown, path: JsonPath): Pet {
    if (this.#shape.isPlain(value)) return value
    const pet = objectOf(value, path)
    const [error] = this.#shape.errors(pet)
    if (error) throw new ValidationError([...path, ...error.path], error.reason, error.refused)
    if (pet.id === undefined)
      throw new ValidationError([...path, 'id'], 'must be an integer (int64) of at least 0')
    for (const name of this.#shape.unknown(pet)) this.undeclared.add(name)
    return pet as Pet
  }

  petsOf(value: unknown, path: JsonPath): Pet[] {
    if (!Array.isArray(value)) throw new ValidationError(path, 'must be an array')
    // Building a path for each of a million pets would take longer than validating them.
    if (value.every(this.#shape.isPlain)) return value
    return value.map((pet, index) => this.petOf(pet, [...path, index]))
  }
}
