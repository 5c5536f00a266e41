import { expect, it } from 'vitest'
import { animalStoreContract } from '../../../src/contract/animal-store.ts'
import { requestSchemas } from '../../../src/contract/openapi/request-schemas.ts'

it('every body and parameter of the interface has a schema, and so has a stored pet', () => {
  expect(Object.keys(requestSchemas(animalStoreContract().document)).toSorted()).toEqual([
    'createPet body',
    'getPet path petId',
    'listPets query limit',
    'listPets query status',
    'stored pet',
  ])
})

it('int64 becomes its own keyword, and inputs that an operation validates itself have a schema that accepts everything', () => {
  const int64 = { type: 'integer', format: 'int64', minimum: 0, example: 1 }
  const schemas = requestSchemas({
    openapi: '3.1.0',
    info: {},
    paths: {
      '/x': {
        get: {
          operationId: 'x',
          parameters: [
            { name: 'a', in: 'query', schema: { type: 'array', items: int64 } },
            { name: 'b', in: 'query', schema: { 'x-validated-by': 'operation', type: 'string' } },
            { name: 'c', in: 'header' },
            { name: 'd', in: 'query', schema: { ...int64, type: ['integer', 'null'] } },
          ],
          responses: {},
        },
      },
    },
  })
  expect(schemas).toEqual({
    'x query a': { type: 'array', items: { int64: true, minimum: 0 } },
    'x query b': {},
    'x query d': { int64: ['null'], minimum: 0 },
  })
})
