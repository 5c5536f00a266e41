import { faker } from '@faker-js/faker/locale/en'
import { describe, expect, it } from 'vitest'
import { animalStoreContract } from '../../../src/contract/animal-store.ts'
import {
  type GenerateOptions,
  generatePets,
  newPetSamples,
} from '../../../src/contract/generate/generate-pets.ts'
import { overlaidContract } from '../../../src/contract/openapi/overlay.ts'
import { PET_STATUSES } from '../../../src/world/pets/pet.ts'

const { petShape } = animalStoreContract()
const generate = (options: GenerateOptions) => generatePets(petShape, options)
const known = new Set([
  ...faker.definitions.animal.pet_name,
  ...Object.values(faker.rawDefinitions.person?.first_name ?? {}).flat(),
])

describe('generated pets', () => {
  it('are valid, with plausible names', async () => {
    const { pets, nextId, keys } = await generate({ count: 450, seed: 3 })
    expect(pets.map(({ id }) => id)).toEqual(Array.from({ length: 450 }, (_, index) => index + 1))
    expect(nextId).toBe(451)
    expect(keys).toEqual([])
    expect(pets.filter(({ name }) => !known.has(name))).toEqual([])
    expect(new Set(pets.map(({ categoryId }) => categoryId))).toEqual(
      new Set([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
    )
    expect(new Set(pets.map(({ status }) => status))).toEqual(new Set([...PET_STATUSES, undefined]))
    expect(pets.filter((pet) => 'status' in pet && pet.status === undefined)).toEqual([])
  })

  it('have small numbers in a field that may be null, too', async () => {
    const update = { age: { type: 'integer', nullable: true } }
    const actions = [{ target: "$.components.schemas['Pet','NewPet'].properties", update }]
    const overlay = { name: 'age', text: JSON.stringify({ overlay: '1.0.0', actions }) }
    const { petShape: shape } = overlaidContract(animalStoreContract(), [overlay])
    const { pets } = await generatePets(shape, { count: 100, seed: 3 })
    const ages = new Set(pets.map((pet) => (pet as { age?: number | null }).age))
    expect(ages).toContain(null)
    expect([...ages].filter((age) => typeof age === 'number' && (age < 1 || age > 12))).toEqual([])
  })

  it('are samples without null, which would show nothing', async () => {
    const nullable = true
    const owner = {
      type: 'object',
      nullable,
      required: ['tags'],
      properties: { tags: { type: 'array', nullable, items: { type: 'string' } } },
    }
    const actions = [
      { target: '$.components.schemas.NewPet.properties.name', update: { nullable } },
      {
        target: '$.components.schemas.NewPet.properties',
        update: { owner, age: { type: 'integer', nullable } },
      },
    ]
    const overlay = { name: 'owner', text: JSON.stringify({ overlay: '1.0.0', actions }) }
    const { newPet } = overlaidContract(animalStoreContract(), [overlay])
    const { full, required } = await newPetSamples(newPet)
    expect(full).toMatchObject({
      name: expect.any(String),
      age: expect.any(Number),
      owner: { tags: expect.arrayContaining([expect.any(String)]) },
    })
    expect(required.name).toEqual(expect.any(String))
  })

  it('have the statuses of the shares, in random order', async () => {
    const status = { available: 60, pending: 30, sold: 10 }
    const { pets } = await generate({ count: 500, seed: 3, status })
    const count = (wanted: string) => pets.filter(({ status }) => status === wanted).length
    expect([count('available'), count('pending'), count('sold')]).toEqual([300, 150, 50])
    expect(new Set(pets.slice(0, 30).map(({ status }) => status)).size).toBe(3)
  })

  it('are the same for a seed, even if other code draws random numbers meanwhile', async () => {
    const options = { count: 450, seed: 7, status: { available: 1, sold: 1 } }
    const alone = await generate(options)
    faker.seed(1)
    const [first, other, second] = await Promise.all([
      generate(options),
      generate({ count: 450, seed: 8 }),
      generate(options),
    ])
    expect(first).toStrictEqual(alone)
    expect(second).toStrictEqual(alone)
    expect(other.pets.map(({ name }) => name)).not.toEqual(alone.pets.map(({ name }) => name))
  })

  it('do not change the faker instance of other code', async () => {
    faker.seed(1)
    const undisturbed = [faker.animal.petName(), faker.number.int()]
    faker.seed(1)
    const name = faker.animal.petName()
    await generate({ count: 300, seed: 2 })
    expect([name, faker.number.int()]).toEqual(undisturbed)
  })

  it('begin with the same pets, whatever the count', async () => {
    const [few, many] = await Promise.all([
      generate({ count: 250, seed: -5 }),
      generate({ count: 450, seed: -5 }),
    ])
    expect(many.pets.slice(0, 250)).toEqual(few.pets)
  })

  it('differ completely between neighbouring seeds', async () => {
    const rows = async (seed: number) =>
      (await generate({ count: 600, seed })).pets
        .map(({ name, categoryId }) => `${name} ${categoryId}`)
        .join()
    const [one, two] = [await rows(1), await rows(2)]
    const stretch = one.slice(one.length / 2, one.length / 2 + 100)
    expect(one).toContain(stretch)
    expect(two).not.toContain(stretch)
  })

  it('may be an empty list', async () => {
    expect(await generate({ count: 0, seed: 1, status: { sold: 1 } })).toStrictEqual({
      pets: [],
      nextId: 1,
      keys: [],
    })
  })
})
