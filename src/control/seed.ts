import type { Seed } from '../contract/generated/control.types.d.ts'
import { choiceText } from '../contract/openapi/validators.ts'
import { inThousands } from '../text/in-thousands.ts'
import { listed } from '../text/listed.ts'
import { atOnce } from '../time/slices.ts'
import { ApiError } from '../world/api-error.ts'
import { replaceKeys, replacePets } from '../world/commit.ts'
import { sizeOfKeys } from '../world/keys/key.ts'
import { indexSteps, sizeOfPet, sizeOfTable } from '../world/pets/collection.ts'
import type { CompleteFixture, FixtureInput } from '../world/pets/fixture.ts'
import type { Int64 } from '../world/pets/pet.ts'
import type { StoredKey } from '../world/store.ts'
import type { World } from '../world/world.ts'
import type { ControlDeps } from './context.ts'
import type { OperationContext, ReplyOf, SomeHandlers } from './operation.ts'
import { jsonReply } from './reply.ts'

type SeedContext = OperationContext<'seed'>

export const seeding = {
  /** Replaces pets or adds pets. If one is invalid, nothing changes. */
  seed: {
    async prepare(context) {
      const { body, deps } = context
      const given = await fixtureOf(body, context)
      if (body.mode === 'append') {
        const complete = await completeAdded(given, context.world(), deps)
        return { apply: (applied) => applySeed(applied, complete(applied.world())) }
      }
      const fixture = given as CompleteFixture
      await deps.slices.run(indexSteps(fixture))
      return { apply: (applied) => applySeed(applied, fixture) }
    },
  },
} satisfies SomeHandlers

function applySeed(context: SeedContext, fixture: CompleteFixture): ReplyOf<'seed'> {
  const { body, deps, changes } = context
  const world = context.world()
  const isAdded = body.mode === 'append'
  const sizeOfAdded = () => fixture.pets.reduce((bytes, pet) => bytes + sizeOfPet(pet), 0)
  const hasKeys = ('pets' in body && body.keys !== undefined) || fixture.keys.length > 0
  checkSpace(
    world,
    isAdded ? sizeOfAdded() : sizeOfTable(fixture),
    isAdded,
    hasKeys ? fixture.keys : undefined,
  )
  if (isAdded) append(world, fixture, deps)
  else replacePets(world, fixture, deps.commit, hasKeys ? fixture.keys : undefined)
  changes.notify(world, 'pets', ...(hasKeys ? (['keys'] as const) : []))
  return jsonReply(200, { pets: world.collections.pets.size })
}

/**
 * Refuses pets of `bytes` bytes, and keys, that take more memory than is free. What they replace counts as free, unless
 * it stays elsewhere. Without `keys`, the current ones stay.
 */
export function checkSpace(
  { collections, keys: { stored }, start, stateSize }: World,
  bytes: number,
  isAdded: boolean,
  keys?: readonly StoredKey[],
): void {
  const { table, ownBytes } = collections.pets
  const stays = (list: object) => list === start.pets || list === start.keys || stateSize.isShared(list)
  stateSize.check(() => {
    const freed = isAdded ? 0 : ownBytes + (stays(table) ? 0 : sizeOfTable(table))
    const freedKeys = isAdded || !keys || stays(stored) ? 0 : sizeOfKeys(stored)
    return bytes + sizeOfKeys(keys ?? []) - freed - freedKeys
  })
}

/** The fixture of a seed. Pets that are added get their ids later. */
async function fixtureOf(body: Seed, { deps, world }: SeedContext): Promise<CompleteFixture | FixtureInput> {
  const isAdded = body.mode === 'append'
  if ('pets' in body) {
    const { mode: _mode, ...input } = body
    return isAdded ? input : deps.slices.run(deps.completeSteps(input))
  }
  const made =
    'fixture' in body
      ? await builtInFixture(body.fixture, deps)
      : await generatePets(body, isAdded, world(), deps)
  if (!isAdded) return made
  // Without ids, which other pets may have.
  const pets = made.pets.map(({ id: _id, ...pet }) => pet)
  return { pets, keys: made.keys }
}

/** A built-in fixture. */
export async function builtInFixture(
  name: string,
  { fixtureNames, loadFixture }: ControlDeps,
  code: 'invalid_body' | 'invalid_parameter' = 'invalid_body',
): Promise<CompleteFixture> {
  if (fixtureNames.includes(name)) return loadFixture(name)
  throw new ApiError(code, `fixture ${choiceText(fixtureNames, name)}`)
}

async function generatePets(
  { count, seed, status }: Extract<Seed, { readonly count: number }>,
  isAdded: boolean,
  world: World,
  { generate }: ControlDeps,
): Promise<CompleteFixture> {
  if (status && Object.values(status).every((share) => share === 0))
    throw new ApiError('invalid_body', 'status must have a share above 0')
  if (isAdded && count > MAX_ADDED) throw new ApiError('invalid_body', TOO_MANY)
  checkSpace(world, count * sizeOfPet({ name: '' }), isAdded)
  return generate({ count, seed: seed ?? world.start.seed, status })
}

/**
 * Completes the pets to add in steps, without `nextId`, because the counter continues. The returned function gives the
 * result; if other calls have used ids meanwhile, it completes the pets again, in one step.
 */
async function completeAdded({ pets, keys }: FixtureInput, seen: World, deps: ControlDeps) {
  if (Array.isArray(pets) && pets.length > MAX_ADDED) throw new ApiError('invalid_body', TOO_MANY)
  const input = { pets, ...(keys && { keys }) }
  const stepsIn = ({ collections: { pets: present } }: World) =>
    deps.completeSteps(input, { nextId: present.nextId, has: (id) => present.get(id) !== undefined })
  const { pets: present } = seen.collections
  const { nextId } = present
  const steps = stepsIn(seen)
  // The error is ignored here: the fixture may be valid when it is completed again.
  const fixture = await deps.slices.run(steps).catch(() => undefined)
  return (world: World) => {
    const isFresh = world.collections.pets === present && present.nextId === nextId
    const made = fixture && isFresh ? fixture : atOnce(stepsIn(world))
    return checkedAdded(made, world, world.collections.pets.nextId)
  }
}

/** The limit of added pets: they are added in one turn of the event loop, so that all are there or none. */
const MAX_ADDED = 10_000
const TOO_MANY = `at most ${inThousands(MAX_ADDED)} pets can be added at a time; send them in parts`

function checkedAdded(fixture: CompleteFixture, world: World, nextId: Int64): CompleteFixture {
  const used = fixture.pets.filter(({ id }) => id < nextId).map(({ id }) => id)
  const taken = fixture.keys.filter(({ key }) => world.keys.lookUp(key)).map(({ key }) => key)
  const found: string[] = []
  if (used.length > 0)
    found.push(`ids are never used again, and the next id is ${nextId}: ${listed(used.map(String))}`)
  if (taken.length > 0) found.push(`these keys exist already: ${listed(taken)}`)
  if (found.length > 0) throw new ApiError('invalid_body', found.join('; '))
  return fixture
}

function append(world: World, { pets, keys }: CompleteFixture, { commit, petShape }: ControlDeps): void {
  const { name, collections } = world
  // Before the pets are added: it refuses too many keys.
  const all = keys.length > 0 ? world.keys.with(...keys) : undefined
  for (const pet of pets) {
    const json = petShape.write(pet)
    const change = { op: 'create', namespace: name, collection: 'pets', pet, json } as const
    commit(world, change, () => collections.pets.put(pet))
  }
  if (all) replaceKeys(world, all, commit)
}
