import { batches, joined, stringifyJson } from '../contract/openapi/json.ts'
import type { Rewriter } from '../world/keys/redaction.ts'
import { NO_PETS, type PetTable } from '../world/pets/collection.ts'
import type { CompleteFixture } from '../world/pets/fixture.ts'
import type { Pet } from '../world/pets/pet.ts'
import type { StoredKey } from '../world/store.ts'
import type { RecordedNamespace, RecordedSnapshot, RecordingHead } from './recording.ts'
import { type RecordedWorld, stateParts } from './world-state.ts'

/** A namespace at the start of a recording. */
export interface InitialNamespace {
  readonly name: string
  readonly keys: readonly StoredKey[]
  /** Undefined if the recording needs only its keys. */
  readonly world?: RecordedWorld
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
  yield* tableParts(fixture.pets, fixture)
  yield '},"namespaces":{'
  yield* joined(namespaces, namespaceParts)
  yield '}}}\n'

  function* namespaceParts({ name, keys, world, isStored, snapshots }: InitialNamespace): Generator<string> {
    yield `${JSON.stringify(name)}:{`
    for (const collection of ['pets', 'empty'] as const) {
      const pets = world?.state.collections[collection]
      const start = collection === 'pets' ? fixture.pets : NO_PETS.pets
      if (!pets || (pets.isUnchanged && pets.table.pets === start)) continue
      yield `"${collection}":{`
      yield* tableParts(pets.values(), pets)
      yield '},'
    }
    if (snapshots.length > 0) {
      yield '"snapshots":['
      yield* joined(snapshots, function* ({ pets, nextId, ...others }) {
        const own: Omit<RecordedSnapshot, keyof PetTable> = { ...others, keys: hide(others.keys) }
        yield `${JSON.stringify(own).slice(0, -1)},`
        yield* tableParts(pets, { nextId })
        yield '}'
      })
      yield '],'
    }
    const rest: RecordedNamespace = { keys: hide(keys), ...(!isStored && { isUnstored: true }) }
    yield JSON.stringify(rest).slice(1, -1)
    if (world) {
      yield ',"state":'
      yield* stateParts(world, rewriter)
    }
    yield '}'
  }

  function* tableParts(pets: Iterable<Pet>, { nextId }: Pick<PetTable, 'nextId'>): Generator<string> {
    yield '"pets":['
    yield* joined(batches(pets, PETS_AT_ONCE), (some) => rewriter.text(stringifyJson(some)).slice(1, -1))
    yield `],"nextId":${nextId}`
  }
}
