import { chance } from '../../time/chance.ts'
import { ApiError } from '../../world/api-error.ts'
import type { CompleteFixture } from '../../world/pets/fixture.ts'
import type { NewPet, Pet } from '../../world/pets/pet.ts'
import type { Body } from '../openapi/contract.ts'
import { mapSchemas, type SchemaObject } from '../openapi/document.ts'
import type { PetShape } from '../openapi/pet-shape.ts'
import { pathText, type SchemaError, violations } from '../openapi/validators.ts'
import { firstValid, loadGenerator } from './generator.ts'
import { withSamplePattern } from './sample-pattern.ts'
import { dealStatuses, type Shares } from './shares.ts'

export interface GenerateOptions {
  readonly count: number
  /** An integer. The same seed gives the same pets, byte for byte. */
  readonly seed: number
  /** Without shares a pet may have any status, or none. */
  readonly status?: Shares | undefined
}

/** Pets per slice. It must not change: generated pets depend on it. */
const BATCH = 200

/**
 * Generates pets with the ids 1 to `count` from the schema of the contract. The status comes from the shares, if given.
 * `turn`: resolves when the next slice may begin. Rejects with an ApiError if no such pet can be generated.
 */
export async function generatePets(
  shape: PetShape,
  { count, seed, status }: GenerateOptions,
  turn: () => Promise<void> = async () => {},
): Promise<CompleteFixture> {
  const statuses = status && dealStatuses(count, status, chance(seed, 'statuses'), shape.statuses)
  const items = realistic(itemOf(shape.schema, statuses === undefined))
  const seeds = chance(seed, 'pets')
  const generate = (await loadGenerator())(seedOf(seeds()))
  const pets: Pet[] = []
  while (pets.length < count) {
    await turn()
    const length = Math.min(BATCH, count - pets.length)
    const list = { type: 'array', minItems: length, maxItems: length, items } as const
    for (const made of generate(list, seedOf(seeds())) as object[]) {
      const id = pets.length + 1
      const complete = (members: unknown) =>
        shape.pick({ id, ...Object(members), ...(statuses && { status: statuses[id - 1] }) }) as Pet
      const make = (attempt: number) => complete(attempt === 0 ? made : generate(items, seedOf(seeds())))
      const pet = firstValid(make, (each) => errorOf(shape, each) === undefined)
      pets.push(checked(shape, pet))
    }
  }
  return { pets, nextId: count + 1, keys: [] }
}

/** A number in [0, 1) as a seed. */
const seedOf = (share: number): number => Math.floor(share * 2 ** 32)

/** The schema of a pet without its id, and without a status if shares decide it. */
function itemOf(schema: SchemaObject, withStatus: boolean): SchemaObject {
  const { id: _id, status, ...others } = schema.properties ?? {}
  const properties = { ...others, ...(withStatus && status && { status }) }
  const required = schema.required?.filter((name) => name in properties)
  return { ...schema, required, properties }
}

const errorOf = (shape: PetShape, pet: Pet): SchemaError | undefined =>
  shape.isPlain(pet) ? undefined : shape.errors(pet)[0]

function checked(shape: PetShape, pet: Pet): Pet {
  const error = errorOf(shape, pet)
  if (!error) return pet
  const what = pathText(error.path) || 'a pet'
  throw new ApiError(
    'invalid_body',
    `No pet can be generated that fits the contract: ${what} ${error.reason}. Seed a fixture instead`,
  )
}

const SEED = 1

/**
 * Two bodies for a new pet, made from the schema: one with every field, one with the required fields only. The same
 * schema gives the same bodies. Rejects with an Error, whose message is for users, if none can be made.
 */
export async function newPetSamples({ schema, validate }: Body) {
  const item = realistic(mapSchemas(mapSchemas(schema, withoutReadOnly), withContent))
  const generate = (await loadGenerator())(SEED)
  const sample = (probability: number): NewPet => {
    const make = (attempt: number) => generate(item, SEED + attempt, probability) as NewPet
    const made = firstValid(make, (each) => validate(each))
    const [violation] = violations(validate, made)
    if (violation === undefined) return made
    throw new Error(
      `No pet can be generated that fits the contract: ${violation}. Give this field a simpler schema in the overlay`,
    )
  }
  return { full: sample(1), required: sample(0) }
}

/** A client should not send a read-only field, and a service may ignore it (OpenAPI 3.0.3, Schema Object). */
function withoutReadOnly(schema: SchemaObject): SchemaObject {
  const { properties = {}, required = [] } = schema
  const isSent = (name: string) => properties[name]?.readOnly !== true
  const sent = Object.fromEntries(Object.entries(properties).filter(([name]) => isSent(name)))
  return {
    ...schema,
    ...(schema.properties && { properties: sent }),
    ...(schema.required && { required: required.filter(isSent) }),
  }
}

/** Arrays get an item, and what may be null is not null: neither would show anything. */
function withContent({ ...schema }: SchemaObject): SchemaObject {
  for (const name of ['anyOf', 'oneOf'] as const) {
    const present = schema[name]?.filter((each) => each.type !== 'null')
    if (present?.length) schema[name] = present
  }
  const [type, ...more] = [schema.type ?? []].flat().filter((each) => each !== 'null')
  if (type === undefined) return schema
  const given = { ...schema, type: more.length > 0 ? [type, ...more] : type }
  return [type, ...more].includes('array') ? { minItems: 1, ...given } : given
}

/** The contract says only "a string" and "an integer". This schema makes the generator choose realistic values. */
function realistic(schema: SchemaObject): SchemaObject {
  const small = mapSchemas(schema, (each) =>
    [each.type].flat().includes('integer') && each.minimum === undefined && each.maximum === undefined
      ? { ...each, minimum: 1, maximum: 12 }
      : withSamplePattern(each),
  )
  const properties = { ...small.properties, name: { ...small.properties?.name, ...PET_NAME } }
  return { ...small, properties }
}

const PET_NAME = { faker: { 'helpers.fake': [['{{animal.petName}}', '{{person.firstName}}']] } }
