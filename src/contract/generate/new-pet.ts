import type { NewPet } from '../../world/pets/pet.ts'
import type { Body } from '../openapi/contract.ts'
import { mapSchemas, type SchemaObject } from '../openapi/document.ts'
import { violations } from '../openapi/validators.ts'
import { newFaker, realistic } from './realistic.ts'

const SEED = 1

/**
 * Two bodies for a new pet, made from the schema: one with every field, one with the required fields only. The same
 * schema gives the same bodies. Rejects with an Error, whose message is for users, if none can be made.
 */
export async function newPetSamples({
  schema,
  validate,
}: Body): Promise<{ readonly full: NewPet; readonly required: NewPet }> {
  const { generateSync } = await import('json-schema-faker')
  const item = realistic(mapSchemas(schema, withItems))
  const extensions = { faker: await newFaker(SEED) }
  const sample = (optionalsProbability: number): NewPet => {
    const made = generateSync(item, { seed: SEED, extensions, optionalsProbability }) as NewPet
    const [violation] = violations(validate, made)
    if (violation === undefined) return made
    throw new Error(
      `No pet can be generated that fits the contract: ${violation}. Give this field a simpler schema in the overlay`,
    )
  }
  return { full: sample(1), required: sample(0) }
}

/** Arrays get an item, because an empty array would show none. */
const withItems = (schema: SchemaObject): SchemaObject =>
  schema.type === 'array' && schema.minItems === undefined ? { ...schema, minItems: 1 } : schema
