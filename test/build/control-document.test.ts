import { expect, it } from 'vitest'
import { controlDocument } from '../../build/control-document.ts'

/** The document with one operation. */
function completed(path: string, operation: object, components: object = {}) {
  const get = { operationId: 'x', tags: ['state'], responses: {}, ...operation }
  const source = { openapi: '3.1.0', info: {}, paths: { [path]: { get } }, components }
  return controlDocument(source as never)
}

const get = (path: string, operation: object) => completed(path, operation).paths[path]?.get

it.each([
  ['that the guard protects', '/a', {}, ['400', '401', '403', '503']],
  ['with a body', '/a', { security: [], requestBody: { schema: 'A' } }, ['400', '413', '415']],
  ['that is open', '/a', { security: [] }, ['400']],
  ['whose path names something', '/a/{b}', { security: [] }, ['400', '404']],
  ['that creates what its path names', '/a/{b}', { security: [], responses: { 201: {} } }, ['201', '400']],
  ['that looks at the past', '/a', { security: [], parameters: ['at'] }, ['400', '404']],
])('an operation %s declares its refusals', (_, path, operation, statuses) => {
  expect(Object.keys(get(path, operation)?.responses ?? {})).toEqual(statuses)
})

it('a parameter is in the path that names it, or in the query, after the namespace', () => {
  const parameters = ['b', 'c'].map((name) => ({ name, schema: { type: 'string' } }))
  expect(get('/a/{b}', { parameters })?.parameters).toEqual([
    { $ref: '#/components/parameters/namespace' },
    { name: 'b', in: 'path', required: true, schema: { type: 'string' } },
    { name: 'c', in: 'query', schema: { type: 'string' } },
  ])
  expect(get('/a', { tags: ['about'] })).not.toHaveProperty('parameters')
})

it('a schema is JSON, an object requires its properties, and a name is a reference', () => {
  const schema = { properties: { a: 'B', 'c?': { $ref: 'D', description: 'e' } } }
  expect(get('/a', { responses: { 200: { description: 'f', schema } } })?.responses[200]).toEqual({
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
