import { expect, it } from 'vitest'
import { animalStoreContract } from '../../../src/contract/animal-store.ts'
import { BASE_PATH, DEFAULT_ORIGIN } from '../../../src/world/traffic/address.ts'

it('the default base URL is the server of the contract', () => {
  const { document } = animalStoreContract()
  expect(document.servers).toMatchObject([{ url: DEFAULT_ORIGIN + BASE_PATH }])
})
