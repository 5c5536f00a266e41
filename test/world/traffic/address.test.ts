import { expect, it } from 'vitest'
import { animalStoreContract } from '../../../src/contract/animal-store.ts'
import { BASE_PATH, DEFAULT_ORIGIN, targetOf } from '../../../src/world/traffic/address.ts'

it('the default base URL is the server of the contract', () => {
  const { document } = animalStoreContract()
  expect(document.servers).toMatchObject([{ url: DEFAULT_ORIGIN + BASE_PATH }])
})

it('a target without a query has no question mark', () => {
  expect(targetOf({ path: '/v1/pets', query: '' })).toBe('/v1/pets')
  expect(targetOf({ path: '/v1/pets', query: 'limit=2' })).toBe('/v1/pets?limit=2')
})
