import { stringifyJson } from '../contract/openapi/json.ts'
import type { Rewriter } from '../world/keys/secrets.ts'
import { NO_PETS, type Pets, type PetTable } from '../world/pets/collection.ts'
import type { CompleteFixture } from '../world/pets/fixture.ts'
import type { Pet } from '../world/pets/pet.ts'
import type { RecordedWorld } from '../world/rewind.ts'
import type { StoredKey } from '../world/stored.ts'
import type { RecordedNamespace, RecordedSnapshot, RecordingHead } from './recording.ts'
import { stateParts } from './world-state.ts'

/** A namespace at the start of a recording. */
export interface InitialNamespace {
  readonly name: string
  readonly keys: readonly StoredKey[]
  /** Undefined if the recording needs only its keys. */
  readonly whole?: RecordedWorld
  readonly isStored: boolean
  readonly snapshots: readonly RecordedSnapshot[]
}

/** The number of pets that are written together. */
const PETS_AT_ONCE = 1000

/** The first line of a recording, in parts, because it contains every pet. */
export function* headParts(
  head: Omit<RecordingHead, 'start'>,
  fixture: CompleteFixture,
  namespaces: Iterable<InitialNamespace>,
  rewriter: Rewriter,
): Generator<string> {
  const hide = (keys: readonly StoredKey[]) => keys.map((key) => ({ ...key, key: rewriter.key(key.key) }))
  yield `${stringifyJson(head).slice(0, -1)},"start":{"fixture":{"keys":${JSON.stringify(hide(fixture.keys))},`
  yield* tableParts(fixture.pets, fixture, rewriter)
  yield '},"namespaces":{'
  let separator = ''
  for (const each of namespaces) {
    yield `${separator}${JSON.stringify(each.name)}:{`
    yield* namespaceParts(each, fixture, rewriter, hide)
    yield '}'
    separator = ','
  }
  yield '}}}\n'
}

function* namespaceParts(
  { keys, whole, isStored, snapshots }: InitialNamespace,
  fixture: CompleteFixture,
  rewriter: Rewriter,
  hide: (keys: readonly StoredKey[]) => StoredKey[],
): Generator<string> {
  for (const name of ['pets', 'empty'] as const) {
    const pets = whole?.state.collections[name]
    if (!pets) continue
    const start = name === 'pets' ? fixture.pets : NO_PETS.pets
    if (pets.isUnchanged && pets.table.pets === start) continue
    yield `"${name}":{`
    yield* tableParts(pets.values(), pets, rewriter)
    yield '},'
  }
  if (snapshots.length > 0) {
    yield '"snapshots":['
    let separator = ''
    for (const { pets, nextId, keys, name, at } of snapshots) {
      yield `${separator}${JSON.stringify({ name, at, keys: hide(keys) } satisfies Partial<RecordedSnapshot>).slice(0, -1)},`
      yield* tableParts(pets, { nextId }, rewriter)
      yield '}'
      separator = ','
    }
    yield '],'
  }
  const rest: Pick<RecordedNamespace, 'keys' | 'isUnstored'> = {
    keys: hide(keys),
    ...(!isStored && { isUnstored: true }),
  }
  yield JSON.stringify(rest).slice(1, -1)
  if (!whole) return
  yield ',"state":'
  yield* stateParts(whole, rewriter)
}

function* tableParts(
  pets: Iterable<Pet>,
  { nextId }: Pick<Pets | PetTable, 'nextId'>,
  rewriter: Rewriter,
): Generator<string> {
  const text = () => {
    const all = stringifyJson(some)
    return rewriter.text(all).slice(1, -1)
  }
  yield '"pets":['
  let some: Pet[] = []
  let separator = ''
  for (const pet of pets) {
    some.push(pet)
    if (some.length < PETS_AT_ONCE) continue
    yield separator + text()
    separator = ','
    some = []
  }
  if (some.length > 0) yield separator + text()
  yield `],"nextId":${nextId}`
}
