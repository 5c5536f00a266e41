import { isDeepStrictEqual } from 'node:util'
import { animalStoreContract } from '../contract/animal-store.ts'
import { Contract } from '../contract/openapi/contract.ts'
import type { OpenApiDocument } from '../contract/openapi/document.ts'
import { recordSchema } from '../contract/openapi/record-schema.ts'
import type { RecordShape } from '../contract/openapi/record-shape.ts'
import type { ControlClient } from './control.ts'

/** The shape of pets in the document of a running sandbox, to which an overlay may have added fields. */
export async function recordShapeOf(client: Pick<ControlClient, 'document'>): Promise<RecordShape> {
  const { petShape } = animalStoreContract()
  const document: OpenApiDocument = JSON.parse(await client.document('/interface.json'))
  if (isDeepStrictEqual(recordSchema(document), petShape.schema)) return petShape
  const { compileValidators } = await import('../contract/openapi/compile-validators.ts')
  return new Contract(document, compileValidators(document)).petShape
}
