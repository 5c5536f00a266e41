import { chance } from '../../time/chance.ts'
import type { Fixture } from '../../world/pets/fixture.ts'
import type { Pet } from '../../world/pets/pet.ts'
import type { SchemaObject } from '../openapi/document.ts'
import type { RecordShape } from '../openapi/record-shape.ts'
import { pathText } from '../openapi/validators.ts'
import { newFaker, realistic } from './realistic.ts'
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

/** The probability that a pet has an optional field. */
const PROBABILITY = 0.9

/**
 * Generates pets with the ids 1 to `count` from the schema of the contract. The status comes from the shares, if given.
 * `turn`: resolves when the next slice may begin. Rejects with an Error, whose message is for users, if no pet can be
 * generated.
 */
export async function generatePets(
  shape: RecordShape,
  { count, seed, status }: GenerateOptions,
  turn: () => Promise<void> = async () => {},
): Promise<Fixture> {
  const statuses = status && dealStatuses(count, status, chance(seed, 'statuses'))
  const items = realistic(itemOf(shape.schema, statuses === undefined))
  const { generateSync } = await import('json-schema-faker')
  const seeds = chance(seed, 'pets')
  const extensions = { faker: await newFaker(whole(seeds())) }
  const pets: Pet[] = []
  while (pets.length < count) {
    await turn()
    const length = Math.min(BATCH, count - pets.length)
    const batch = generateSync(
      { type: 'array', minItems: length, maxItems: length, items },
      { seed: whole(seeds()), extensions, optionalsProbability: PROBABILITY },
    )
    for (const made of batch as object[]) {
      const id = pets.length + 1
      pets.push(checked(shape, { id, ...made, ...(statuses && { status: statuses[id - 1] }) }))
    }
  }
  return { pets, nextId: count + 1, keys: [] }
}

/** A number in [0, 1) as a seed. */
const whole = (share: number): number => Math.floor(share * 2 ** 32)

/** The schema of a pet without its id, and without a status if shares decide it. */
function itemOf(schema: SchemaObject, withStatus: boolean): SchemaObject {
  const { id: _id, status, ...others } = schema.properties ?? {}
  const properties = { ...others, ...(withStatus && status && { status }) }
  const required = schema.required?.filter((name) => name in properties)
  return { ...schema, required, properties }
}

/** The generator may fail to satisfy a pattern or a condition. */
function checked(shape: RecordShape, made: object): Pet {
  const pet = shape.pick(made as Pet) as unknown as Pet
  const [error] = shape.isPlain(pet) ? [] : shape.errors(pet)
  if (!error) return pet
  throw new Error(
    `No pet can be generated that fits the contract: ${pathText(error.path)} ${error.reason}. Seed a fixture instead`,
  )
}
