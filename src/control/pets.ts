import type {
  Fixture,
  Pet as ListedPet,
  ResetPart,
  Side,
  State,
  StateDiff,
} from '../contract/generated/control.types.d.ts'
import { exactInteger, joined, stringifyJson } from '../contract/openapi/json.ts'
import type { PetShape } from '../contract/openapi/pet-shape.ts'
import { choiceText } from '../contract/openapi/validators.ts'
import { type ComparedState, comparedWorld, diffSteps } from '../past/state-diff.ts'
import { ApiError } from '../world/api-error.ts'
import { replaceKeys } from '../world/commit.ts'
import { NO_PETS, type Pets } from '../world/pets/collection.ts'
import type { Pet } from '../world/pets/pet.ts'
import { partsToReset, resetUnstored } from '../world/reset.ts'
import type { StoredKey } from '../world/store.ts'
import type { World } from '../world/world.ts'
import type { ControlContext, ControlDeps } from './context.ts'
import { pastOf, replaceStored, worldAt } from './history.ts'
import type { SomeHandlers } from './operation.ts'
import { jsonReply, noSuch, slicedReply, writtenReply } from './reply.ts'
import { builtInFixture } from './seed.ts'

/** The parts that a proxy has. */
const IN_PROXY: readonly ResetPart[] = ['clock', 'faults', 'requests']

export const pets = {
  reset({ body, deps, changes, world: find }) {
    const { only = [] } = body ?? {}
    const parts = partsToReset(only.length > 0 || deps.past ? only : IN_PROXY)
    if (!parts.every((part) => IN_PROXY.includes(part))) pastOf(deps)
    const world = find()
    resetWorld(world, parts, deps)
    changes.notify(world, ...parts)
    return jsonReply(200, { reset: parts, pets: world.collections.pets.size })
  },
  exportNamespace({ view, deps }) {
    const { collections, keys } = view().world
    const pets = collections.pets.copy()
    // A revoked key is marked, because it would be valid again otherwise.
    const exported = keys.stored.map(({ issued: _, ...key }) => key)
    const table = { pets: pets.values(), nextId: pets.nextId, keys: exported }
    const parts = tableParts(table, deps.petShape)
    return slicedReply<Fixture>(deps.slices, parts, 'application/json')
  },
  /** A page of the pets. Without `q`, its cost does not depend on the number of pets. */
  listPetRange({ query, deps, view }) {
    const { skip = 0, limit = 100, status, q } = query
    const { petShape, slices } = deps
    const { statuses } = petShape
    if (status !== undefined && statuses && !statuses.includes(status))
      throw new ApiError('invalid_parameter', `status ${choiceText(statuses, status)}`)
    const { pets } = view().world.collections
    const after = query.after === undefined ? undefined : exactInteger(BigInt(query.after))
    const replyOf = (found: readonly Pet[], total: number) =>
      writtenReply<200, ListedPet[]>(200, petShape.writeList(found), [
        'X-Total-Count',
        String(total),
        'X-Status-Counts',
        String(new URLSearchParams(statuses?.map((each) => [each, String(pets.count(each))]))),
      ])
    if (!q) return replyOf(pets.range(status, after, skip, limit), pets.count(status))
    return slices.run(matchesOf(q, pets.copy(), status)).then((all) => {
      const rest = after === undefined ? all : all.filter(({ id }) => id > after)
      return replyOf(rest.slice(skip, skip + limit), all.length)
    })
  },
  diffStates: {
    async observe(context) {
      const { a, b } = context.query
      const [from, to] = [await stateOf(context, a), await stateOf(context, b)]
      return jsonReply<200, StateDiff>(200, await context.deps.slices.run(diffSteps(from, to)))
    },
  },
  /** A complete state, for a comparison in another process. */
  getState: {
    async observe(context) {
      const { slices, petShape } = context.deps
      const { pets, nextId, limits } = await stateOf(context, context.query.of)
      return slicedReply<State>(slices, tableParts({ pets, nextId, limits }, petShape), 'application/json')
    },
  },
} satisfies SomeHandlers

async function stateOf(context: ControlContext, state: string): Promise<ComparedState> {
  const { deps, real } = context
  const world = context.world()
  const [kind, name = '', side = 'after'] = state.split(':')
  if (kind === 'start') return world.start.pets
  if (kind === 'fixture') return builtInFixture(name, deps, 'invalid_parameter')
  if (kind === 'snapshot') {
    const found = await deps.snapshots.read(world.name, name)
    if (!found) throw noSuch('snapshot', name, ` in the namespace ${world.name}`)
    return { pets: found.pets, nextId: found.nextId }
  }
  if (kind === 'at') {
    const seen = await worldAt(context, name, side as Side)
    return comparedWorld(seen.world, seen.real, deps.policy)
  }
  const other = kind === 'now' ? world : deps.worlds.find(name)
  if (!other) throw noSuch('namespace', name)
  return comparedWorld(other, real, deps.policy)
}

/** Stored parts are reset first, because only they can fail. */
export function resetWorld(world: World, parts: readonly ResetPart[], deps: ControlDeps): void {
  const { start } = world
  const keys = parts.includes('keys') ? start.keys : undefined
  if (parts.includes('pets')) {
    replaceStored(world, deps, () => {
      world.collections.set('pets', start.pets)
      world.collections.set('empty', NO_PETS)
      if (keys) world.keys.replace(keys)
    })
  } else if (keys && world.isStored) replaceKeys(world, keys, deps.commit)
  resetUnstored(world, parts, deps.realTime())
}

/** The JSON of pets and other members, in parts. */
function* tableParts(
  { pets, ...others }: ComparedState & { readonly keys?: readonly StoredKey[] },
  { write }: PetShape,
): Generator<string> {
  yield '{"pets":['
  yield* joined(pets, write)
  yield `],${stringifyJson(others).slice(1)}`
}

/** Pets per step. */
const STEP = 500

/** The pets whose name contains a text, ignoring case, and the pet with that id. */
function* matchesOf(q: string, pets: Pets, status: string | undefined): Generator<void, Pet[]> {
  const wanted = q.toLowerCase()
  const found: Pet[] = []
  for (let skip = 0; skip < pets.size; skip += STEP) {
    for (const pet of pets.range(status, undefined, skip, STEP))
      if (String(pet.id) === q || String(pet.name).toLowerCase().includes(wanted)) found.push(pet)
    yield
  }
  return found
}
