import { expect, it } from 'vitest'
import type { OpenApiDocument, SchemaObject } from '../../../src/contract/openapi/document.ts'
import { objectSchema, storedPetSchema } from '../../../src/contract/openapi/pet-schema.ts'

const documentOf = (schemas: Record<string, SchemaObject>): OpenApiDocument => ({
  openapi: '3.1.0',
  info: {},
  paths: {},
  components: { schemas },
})

it('a stored pet has the fields of Pet, then those of NewPet only; the id is first and optional', () => {
  const schema = storedPetSchema(
    documentOf({
      NewPet: { required: ['name', 'tag'], properties: { name: { maxLength: 1 }, secret: {} } },
      Pet: {
        required: ['name', 'id'],
        properties: { name: { type: 'string' }, id: { $ref: '#/components/schemas/Id' } },
      },
      Id: { type: 'integer', format: 'int64' },
    }),
  )
  expect(Object.keys(schema?.properties as object)).toEqual(['id', 'name', 'secret'])
  expect(schema).toEqual({
    type: 'object',
    required: ['name'],
    properties: {
      id: { type: 'integer', format: 'int64', minimum: 0 },
      name: { type: 'string' },
      secret: {},
    },
  })
})

it('parts of allOf are merged, also the keywords of each field, and other constraints are kept', () => {
  const part = { properties: { a: { type: 'string' }, b: {} }, required: ['a', 'b'], minProperties: 1 }
  const whole = {
    allOf: [part, { allOf: [{ required: ['b', 'c'] }] }],
    properties: { a: { maxLength: 3 } },
    title: 't',
    if: {},
  }
  expect(objectSchema(whole)).toEqual({
    type: 'object',
    properties: { a: { type: 'string', maxLength: 3 }, b: {} },
    required: ['a', 'b', 'c'],
    allOf: [{ minProperties: 1 }, { if: {} }],
  })
})

it('a document without pets has no such schema', () => {
  expect(storedPetSchema(documentOf({ Pet: {} }))).toBeUndefined()
  expect(storedPetSchema({ openapi: '3.1.0', info: {}, paths: {} })).toBeUndefined()
})

it('a recursive schema of a pet is supported', () => {
  const Pet = {
    properties: { id: { type: 'integer' }, parent: { $ref: '#/components/schemas/Pet' } },
    required: [],
  }
  expect(storedPetSchema(documentOf({ Pet, NewPet: {} }))?.properties).toMatchObject({ parent: {} })
})
