import type { Pet } from '../domain/pets/pet.ts'
import type { PetsView, PetTable } from '../domain/world/stored.ts'

export const viewOf = ({ pets, nextId }: PetTable): PetsView => ({
  parts: [{ pets, count: pets.length }],
  nextId,
})

/** The pets of a view in one array, which nobody else holds unless it was one array before. */
export function tableOfView({ parts, nextId }: PetsView): PetTable {
  const [only] = parts
  if (only && parts.length === 1 && only.count === only.pets.length) return { pets: only.pets, nextId }
  const pets: Pet[] = []
  for (const part of parts) {
    for (let index = 0; index < part.count; index++) pets.push(part.pets[index] as Pet)
  }
  return { pets, nextId }
}

export const countOf = ({ parts }: PetsView): number => parts.reduce((sum, { count }) => sum + count, 0)
