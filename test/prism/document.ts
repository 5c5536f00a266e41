import { animalStoreContract } from '../../src/contract/animal-store.ts'
import type { OpenApiDocument } from '../../src/contract/openapi/document.ts'

/** The contract, to be changed. */
export const animalStore = (): OpenApiDocument => structuredClone(animalStoreContract().document)

/** A document with one operation, `GET /things` (`listThings`), that answers 200 with this schema. */
export const documentOf = (
  schema: object,
  components: OpenApiDocument['components'] = {},
): OpenApiDocument => ({
  openapi: '3.1.0',
  info: { title: 'Things', version: '1' },
  paths: {
    '/things': {
      get: {
        operationId: 'listThings',
        responses: { '200': { description: 'Things.', content: { 'application/json': { schema } } } },
      },
    },
  },
  components,
})
