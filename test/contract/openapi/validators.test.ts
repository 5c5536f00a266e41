import { describe, expect, it } from 'vitest'
import { animalStoreContract } from '../../../src/contract/animal-store.ts'
import { compileValidators } from '../../../src/contract/openapi/compile-validators.ts'
import type { OpenApiDocument, SchemaObject } from '../../../src/contract/openapi/document.ts'
import {
  pathText,
  readableErrors,
  schemaErrorsOf,
  violations,
} from '../../../src/contract/openapi/validators.ts'

/** A body validator, compiled like that of an overlay. */
function validatorOf(schema: SchemaObject) {
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: {},
    paths: {
      '/x': {
        post: {
          operationId: 'x',
          requestBody: { content: { 'application/json': { schema } } },
          responses: {},
        },
      },
    },
  }
  const validate = compileValidators(document)['x body']
  if (!validate) throw new Error('it was not compiled')
  return validate
}

const found = (schema: SchemaObject, value: unknown, name?: string) =>
  violations(validatorOf(schema), value, name)

const NUMBER_OR_BOOLEAN = (keyword: 'oneOf' | 'anyOf'): SchemaObject => ({
  [keyword]: [{ type: 'integer', minimum: 3 }, { type: 'boolean' }],
})

describe('a violation has the valid values', () => {
  it.each<[string, SchemaObject, unknown]>([
    ['must be a string', { type: 'string' }, 1],
    ['must be an object', { type: 'object' }, 1],
    ['must be a string or an array', { type: ['string', 'array'] }, 1],
    ['must be an integer', { type: 'integer' }, 1.5],
    ['must be an integer of at least 1', { type: 'integer', minimum: 1 }, 0],
    ['must be a number of at most 1', { type: 'number', maximum: 1 }, 2],
    ['must be a number from 0 to 1', { type: 'number', minimum: 0, maximum: 1 }, 'x'],
    ['must be an integer (int64) of at least 0', { type: 'integer', format: 'int64', minimum: 0 }, -1n],
    ['must be an integer (int64)', { type: 'integer', format: 'int64' }, 2n ** 63n],
    ['must be an integer (int64) or null', { type: ['integer', 'null'], format: 'int64' }, 'a'],
    ['must be < 100', { type: 'integer', format: 'int64', exclusiveMaximum: 100 }, 100],
    ['must be a multiple of 2', { type: 'integer', format: 'int64', multipleOf: 2 }, 3],
    ['must be an integer (int64)', { type: 'integer', format: 'int64', exclusiveMaximum: 5 }, 2n ** 60n],
    ['must be an integer (int64)', { type: 'integer', format: 'int64', multipleOf: 2 }, 2n ** 60n + 1n],
    ['must be one of a, b', { enum: ['a', 'b'] }, 'c'],
    ['must be one of 1, null, {"a":1}', { enum: [1, null, { a: 1 }] }, 'c'],
    ['must be a valid date, such as 2026-11-19', { type: 'string', format: 'date' }, '2026-02-30'],
    ['must be a valid uuid', { type: 'string', format: 'uuid' }, 'x'],
    ['must match pattern "^a"', { type: 'string', pattern: '^a', description: 'The name of a pet.' }, 'b'],
    ['must have at least 2 characters', { type: 'string', minLength: 2 }, 'b'],
    ['must have at most 1 item', { type: 'array', maxItems: 1 }, [1, 2]],
    ['must not be empty', { type: 'object', minProperties: 1 }, {}],
    ['must have no duplicate items', { type: 'array', uniqueItems: true }, [1, 1]],
    ['must be a multiple of 5', { type: 'integer', minimum: 0, multipleOf: 5 }, 3],
    ['must be > 0', { type: 'integer', exclusiveMinimum: 0 }, 0],
    ['must be "a"', { const: 'a' }, 'b'],
    ['must have exactly one of a, b', { oneOf: [{ required: ['a'] }, { required: ['b'] }] }, {}],
    ['must have exactly one of a, b', { oneOf: [{ required: ['a'] }, { required: ['b'] }] }, { a: 1, b: 1 }],
    ['must have at least one of a, b', { anyOf: [{ required: ['a'] }, { required: ['b'] }] }, {}],
    [
      'must match one of {"required":["a"]}, {"required":["b","c"]}',
      { oneOf: [{ required: ['a'] }, { required: ['b', 'c'] }] },
      { b: 1 },
    ],
    ['must be an integer of at least 3 or a boolean', NUMBER_OR_BOOLEAN('anyOf'), 2],
    ['must be an integer of at least 3 or a boolean', NUMBER_OR_BOOLEAN('oneOf'), 'x'],
    [
      'must have at least 3 characters or be null',
      { anyOf: [{ type: 'string', minLength: 3 }, { type: 'null' }] },
      'x',
    ],
    [
      'must be one of a, b, or a number',
      { anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'number' }] },
      true,
    ],
    [
      'must match only one of {"type":"integer"}, {"type":"number"}',
      { oneOf: [{ type: 'integer' }, { type: 'number' }] },
      1,
    ],
    ['must not be one of a, b', { type: 'string', not: { enum: ['a', 'b'] } }, 'a'],
    ['must not be present', { dependentSchemas: { a: false } }, { a: 1 }],
    ['must not be 0', { not: { type: 'integer', const: 0 } }, 0],
    ['must not be 7', { type: 'integer', format: 'int64', not: { const: 7 } }, 7],
    ['must not be a string', { not: { type: 'string' } }, 'a'],
    ['must not have a and b', { not: { required: ['a', 'b'] } }, { a: 1, b: 1 }],
    ['must not match {"type":"string","maxLength":3}', { not: { type: 'string', maxLength: 3 } }, 'a'],
    ['must not match {}', { not: {} }, {}],
    ['must have b together with a', { dependentRequired: { a: ['b'] } }, { a: 1 }],
  ])('%s', (reason, schema, value) => {
    expect(found(schema, value)).toEqual([`the body ${reason}`])
  })

  it('has its path, in which unusual names are escaped', () => {
    const inner = {
      type: 'array',
      items: { type: 'object', properties: { 'a/b~c': { type: 'string' }, 0: { type: 'string' } } },
    }
    const schema = { type: 'object', properties: { list: inner } }
    expect(found(schema, { list: [{}, { 'a/b~c': 1, 0: 2 }] }).toSorted()).toEqual([
      'list[1]["0"] must be a string',
      'list[1]["a/b~c"] must be a string',
    ])
    expect(found({ type: 'object', required: ['a'] }, {}, 'effect')).toEqual(['effect.a is required'])
  })

  it('of a value or an object names what is wrong in the object, and no branch inside of it', () => {
    const inner = { oneOf: [{ required: ['a'] }, { required: ['b'] }] }
    const object = { type: 'object', properties: { in: inner }, additionalProperties: false }
    const schema = { oneOf: [{ const: 'none' }, object] }
    expect(found(schema, { c: 1 })).toEqual(['c is not known here; known: in; the body can also be "none"'])
    expect(found(schema, { in: {} })).toEqual(['in must have exactly one of a, b'])
    expect(found(schema, 7)).toEqual(['the body must be "none" or an object'])
    expect(found({ type: 'object', ...inner }, 'a')).toEqual(['the body must be an object'])
    expect(found({ oneOf: [{ type: 'object' }, {}] }, {})).not.toEqual([])
  })

  it('of one of several objects or lists is that of the one it is meant for', () => {
    const kind = (name: string, member: SchemaObject) => ({
      type: 'object',
      required: ['kind', name],
      properties: { kind: { const: name }, [name]: member },
    })
    const list = { type: 'array', items: { type: 'string' } }
    const branches = [kind('dog', { type: 'integer' }), kind('cat', { enum: ['a'] }), list]
    for (const keyword of ['oneOf', 'anyOf']) {
      const schema = { type: 'object', properties: { in: { type: 'array', items: { [keyword]: branches } } } }
      const sent = [{ kind: 'dog' }, { kind: 'dog', dog: 'x' }, { kind: 'cat' }, ['a', 1], 7]
      expect(found(schema, { in: sent })).toEqual([
        'in[0].dog is required',
        'in[1].dog must be an integer',
        'in[2].cat is required: a',
        'in[3][1] must be a string',
        'in[4] must be an object or an array',
      ])
      const [text] = found(schema, { in: [{ kind: 'bird' }] })
      expect(text).toMatch(/^in\[0\] must match one of \{"type":"object","required":\["kind","dog"\]/)
    }
  })

  it('of a name is that of its member', () => {
    const schema: SchemaObject = { type: 'object', properties: { meta: { propertyNames: { maxLength: 4 } } } }
    const [error] = found(schema, { meta: { abcde: 1 } })
    expect(error).toBe('meta.abcde (the name) must have at most 4 characters')
  })

  it('an unknown member has the known ones', () => {
    const schema = { type: 'object', properties: { a: {}, b: {} }, additionalProperties: false }
    expect(found(schema, { c: 1 })).toEqual(['c is not known here; known: a, b'])
  })
})

describe('several violations', () => {
  const schema = {
    type: 'object',
    required: ['name', 'age'],
    properties: {
      name: { type: 'string' },
      age: { type: 'integer' },
      tags: { type: 'array', items: { type: 'string' } },
    },
    additionalProperties: false,
  }

  it('are in the order of the schema, not of the value', () => {
    expect(found(schema, { tags: [1, 2], age: 'x' })).toEqual([
      'name is required',
      'age must be an integer',
      'tags[0] must be a string',
      'tags[1] must be a string',
    ])
  })

  it('are reported once each', () => {
    const same = { allOf: [{ required: ['a'] }, { required: ['a'] }] }
    expect(found(same, {})).toEqual(['a is required'])
  })

  it('of a huge value are limited in number', () => {
    const tags = Array.from({ length: 5000 }, () => 1)
    expect(found(schema, { name: 'x', age: 1, tags }).length).toBeLessThanOrEqual(200)
  })
})

it('a valid value has none, even after an invalid one', () => {
  const validate = validatorOf({ type: 'string' })
  expect(schemaErrorsOf(validate, 1)).toHaveLength(1)
  expect(schemaErrorsOf(validate, 'x')).toEqual([])
})

it('the bounds of int64 are valid', () => {
  for (const end of [-(2n ** 63n), 2n ** 63n - 1n]) {
    expect(found({ type: 'integer', format: 'int64' }, end), String(end)).toEqual([])
  }
})

it('other types beside int64 are valid', () => {
  expect(found({ type: ['integer', 'null'], format: 'int64' }, null)).toEqual([])
  expect(found({ type: 'string', format: 'int64' }, '1')).toEqual([])
  expect(found({ type: 'integer', format: 'int64', multipleOf: 2 }, 2n ** 60n)).toEqual([])
})

it('the interface refuses integers outside int64, and accepts its bounds', () => {
  const validate = animalStoreContract().operations.get('createPet')?.body?.validate
  if (!validate) throw new Error('createPet has no body')
  const reasons = (categoryId: unknown) => violations(validate, { name: 'Rex', categoryId })
  for (const valid of [-(2n ** 63n), 2n ** 63n - 1n, 0, -0]) expect(reasons(valid), String(valid)).toEqual([])
  for (const invalid of [-(2n ** 63n) - 1n, 2n ** 63n, 1.5, 2 ** 53, Number.NaN, '1', null]) {
    expect(reasons(invalid), String(invalid)).toEqual(['categoryId must be an integer (int64)'])
  }
})

it.each([
  [[], ''],
  [['tags', 0, 'name'], 'tags[0].name'],
  [[0, 'a'], '[0].a'],
  [['', 'a'], '[""].a'],
  [['pets', 1, 'first name'], 'pets[1]["first name"]'],
  [['0'], '["0"]'],
  [['a', 'b"]', 'c-d'], 'a["b\\"]"].c-d'],
])('the path %j is %j', (path, text) => {
  expect(pathText(path)).toBe(text)
})

it('a long name in a path is cut', () => {
  expect(pathText(['a'.repeat(500), 'b c'.repeat(500)])).toMatch(/^a{99}…\["[bc ]{98}…$/)
})

it('of the errors of a service, only the first 200 are made readable, since that takes quadratic time', () => {
  const validate = validatorOf({ type: 'array', items: NUMBER_OR_BOOLEAN('anyOf') })
  validate(Array.from({ length: 100 }, () => 'x'))
  const errors = (validate.errors ?? []) as Parameters<typeof readableErrors>[0]
  // Three for each item: both alternatives, then the union.
  expect(errors).toHaveLength(300)
  const readable = readableErrors(errors)
  expect(readable.slice(0, 66).every(({ keyword }) => keyword === 'anyOf')).toBe(true)
  expect(readable.slice(66)).toEqual(errors.slice(200))
})
