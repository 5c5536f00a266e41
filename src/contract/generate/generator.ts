import type { Faker } from '@faker-js/faker'
import type { JsonSchema } from 'json-schema-faker'

const REFERENCE_DATE = '2026-01-01T00:00:00.000Z'

/** The probability that an object has an optional member. */
const PROBABILITY = 0.9

/**
 * Loads a generator of values of a schema. A value depends on the schema and `seed`; with the keyword `faker`, also on
 * `fakerSeed` and the number of calls since then. The faker is a new one, which no other code seeds or uses. Its class is
 * taken from an instance, because the package exports it only with all locales.
 */
export async function loadGenerator() {
  const { generateSync } = await import('json-schema-faker')
  const { faker } = await import('@faker-js/faker/locale/en')
  const own = new (faker.constructor as typeof Faker)({ locale: faker.rawDefinitions })
  own.setDefaultRefDate(REFERENCE_DATE)
  return (fakerSeed: number) => {
    own.seed(fakerSeed)
    return (schema: object, seed: number, optionalsProbability: number = PROBABILITY): unknown =>
      generateSync(schema as JsonSchema, { seed, extensions: { faker: own }, optionalsProbability })
  }
}

const ATTEMPTS = 20

/**
 * The first valid value, or else the last one: the generator may fail to satisfy a pattern or a condition.
 * `probability`: of optional members. It falls with each attempt, so that values of a recursive schema become smaller.
 */
export function firstValid<T>(
  make: (attempt: number, probability: number) => T,
  isValid: (value: T) => boolean,
): T {
  let value = make(0, PROBABILITY)
  for (let attempt = 1; attempt < ATTEMPTS && !isValid(value); attempt++)
    value = make(attempt, PROBABILITY * (1 - attempt / ATTEMPTS))
  return value
}
