import type { Faker } from '@faker-js/faker'
import { chance } from '../time/chance.ts'

const REFERENCE_DATE = '2026-01-01T00:00:00.000Z'

/**
 * Runs `make` so that its random values depend on `seed` only. Prism's own seed does not cover all of them:
 * json-schema-faker draws from Math.random in places, and faker from its own random stream and date.
 */
export function withSeed<T>(seed: number, faker: Faker, make: () => T): T {
  const { random } = Math
  Math.random = chance(seed, 'mock')
  faker.seed(seed)
  faker.setDefaultRefDate(REFERENCE_DATE)
  try {
    return make()
  } finally {
    Math.random = random
    faker.seed()
    faker.setDefaultRefDate()
  }
}
