import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { OpenApiDocument, SchemaObject } from '../../src/contract/openapi/document.ts'

const file = new URL('../../src/contract/animal-store.openapi.yaml', import.meta.url)

/** The contract, parsed from its YAML source. */
export const animalStore = (): OpenApiDocument => parse(readFileSync(file, 'utf8'), { merge: true })

/** A document with one operation, `GET /things` (`listThings`), whose response 200 has this schema. */
export const documentOf = (
  schema: SchemaObject,
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
