import { isDeepStrictEqual } from 'node:util'
import { animalStoreContract } from '../contract/animal-store.ts'
import { Contract } from '../contract/openapi/contract.ts'
import type { OpenApiDocument } from '../contract/openapi/document.ts'
import { storedPetSchema } from '../contract/openapi/pet-schema.ts'
import type { PetShape } from '../contract/openapi/pet-shape.ts'
import type { ControlClient } from './control.ts'

/** The shape of pets in the document of a running sandbox, to which an overlay may have added fields. */
export async function servedPetShape(client: Pick<ControlClient, 'document'>): Promise<PetShape> {
  const { petShape } = animalStoreContract()
  const document: OpenApiDocument = JSON.parse(await client.document('/interface.json'))
  if (isDeepStrictEqual(storedPetSchema(document), petShape.schema)) return petShape
  const { compileValidators } = await import('../contract/openapi/compile-validators.ts')
  return new Contract(document, compileValidators(document)).petShape
}
