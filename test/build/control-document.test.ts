import { expect, it } from 'vitest'
import { controlDocument, schemasOf } from '../../build/control-document.ts'

/** The document with one operation. */
function completed(path: string, operation: object, components = {}) {
  const tags = [
    { name: 'state', paths: ['a'] },
    { name: 'namespaces', paths: ['b'] },
  ]
  const paths = { [path]: { 'get x': operation } }
  return controlDocument({ openapi: '3.1.0', info: {}, tags, paths, components })
}

const get = (path: string, operation: object) => completed(path, operation).paths[path]?.get

it.each([
  ['that the guard protects', '/a', {}, ['400', '401', '403', '503']],
  ['with a body', '/a', { security: [], 'body?': 'A' }, ['400', '413', '415']],
  ['that is open', '/a', { security: [] }, ['400']],
  ['with a path parameter', '/a/{b}', { security: [] }, ['400', '404']],
  ['that creates the value of its path parameter', '/a/{b}', { security: [], 201: {} }, ['201', '400']],
  ['with a point of history', '/a', { security: [], parameters: ['at'] }, ['400', '404', '501']],
])('an operation %s declares its refusals', (_, path, operation, statuses) => {
  expect(Object.keys(get(path, operation)?.responses ?? {})).toEqual(statuses)
})

it('a parameter in the path template is a path parameter, others are query parameters, after the namespace', () => {
  const parameters = ['b', 'c'].map((name) => ({ name, schema: { type: 'string' } }))
  expect(get('/a/{b}', { parameters })?.parameters).toEqual([
    { $ref: '#/components/parameters/namespace' },
    { name: 'b', in: 'path', required: true, schema: { type: 'string' } },
    { name: 'c', in: 'query', schema: { type: 'string' } },
  ])
  expect(get('/b', {})).not.toHaveProperty('parameters')
})

it('content is JSON, an object requires its properties, and a name is a reference', () => {
  const schema = { properties: { a: 'B', 'c?': { $ref: 'D', description: 'e' } } }
  expect(get('/a', { 200: { description: 'f', schema } })?.responses[200]).toEqual({
    description: 'f',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['a'],
          properties: {
            a: { $ref: '#/components/schemas/B' },
            c: { $ref: '#/components/schemas/D', description: 'e' },
          },
        },
      },
    },
  })
})

it('an operation gets its operationId, the tag of its path, and the responses of its statuses', () => {
  expect(get('/b/c', { summary: 'd', security: [], 200: 'E' })).toEqual({
    operationId: 'x',
    tags: ['namespaces'],
    summary: 'd',
    security: [],
    responses: { 200: { $ref: '#/components/responses/E' }, 400: { $ref: '#/components/responses/Invalid' } },
  })
  expect(() => get('/c', {})).toThrow('No tag has the path /c')
})

it('a list in place of a schema is an array, or a pair', () => {
  const [B, C] = ['B', 'C'].map((name) => ({ $ref: `#/components/schemas/${name}` }))
  expect(schemasOf({ A: ['B'], D: ['B', 'C'] })).toEqual({
    A: { type: 'array', items: B },
    D: { type: 'array', minItems: 2, maxItems: 2, prefixItems: [B, C] },
  })
})

it('a body has its examples, and accepts no other members than those of its schemas', () => {
  const schemas = { A: { properties: { b: 'B' } }, B: { properties: { 'c?': {} } }, D: { properties: {} } }
  const document = completed('/a', { body: 'A', examples: { e: { value: 1 } } }, { schemas })
  const schema = { $ref: '#/components/schemas/A' }
  expect(document.paths['/a']?.get?.requestBody).toEqual({
    required: true,
    content: { 'application/json': { schema, examples: { e: { value: 1 } } } },
  })
  expect(document.components?.schemas).toMatchObject({
    A: { required: ['b'], additionalProperties: false },
    B: { additionalProperties: false },
  })
  expect(document.components?.schemas?.D).not.toHaveProperty('additionalProperties')
})
