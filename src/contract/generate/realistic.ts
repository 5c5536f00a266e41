import type { Faker } from '@faker-js/faker'
import type { JsonSchema } from 'json-schema-faker'
import { mapSchemas, type SchemaObject } from '../openapi/document.ts'

/** The contract says only "a string" and "an integer". This schema makes the generator choose realistic values. */
export function realistic(schema: SchemaObject): JsonSchema {
  const small = mapSchemas(schema, (each) =>
    each.type === 'integer' && each.minimum === undefined && each.maximum === undefined
      ? { ...each, minimum: 1, maximum: 12 }
      : each,
  )
  const properties = { ...small.properties, name: { ...small.properties?.name, ...PET_NAME } }
  return { ...small, properties } as JsonSchema
}

const PET_NAME = { faker: { 'helpers.fake': [['{{animal.petName}}', '{{person.firstName}}']] } }

/** A random generator that no other code seeds or uses. The package exports its class only with all locales. */
export async function newFaker(seed: number): Promise<Faker> {
  const { faker } = await import('@faker-js/faker/locale/en')
  return new (faker.constructor as typeof Faker)({ locale: faker.rawDefinitions, seed })
}
