import type { newPetSamples } from '../../contract/generate/generate-pets.ts'
import type { Body } from '../../contract/openapi/contract.ts'
import type { SchemaObject } from '../../contract/openapi/document.ts'
import { stringifyJson } from '../../contract/openapi/json.ts'
import { type JsonPath, pathText, type Validator } from '../../contract/openapi/validators.ts'
import type { NewPet } from '../../world/pets/pet.ts'
import { leavesOf, UNKNOWN_ID, valueAt, withValue } from './values.ts'

export type NewPetSamples = Awaited<ReturnType<typeof newPetSamples>>

export type NewPets = ReturnType<typeof newPets>

const BEYOND_SAFE = 2n ** 53n + 1n

/** Bodies for createPet, made from the contract. A run adds three pets only, because the interface cannot remove them. */
export function newPets({ schema, validate }: Body, samples: NewPetSamples) {
  /** The pet with this text and this integer in every field that may have them. */
  const marked = (pet: NewPet, text: string, integer: number | bigint): NewPet =>
    leavesOf(pet).reduce((before, { path, value }) => {
      if (typeof value !== 'string' && typeof value !== 'number') return before
      const after = withValue(before, path, typeof value === 'string' ? text : integer)
      return validate(after) ? after : before
    }, pet)
  /** A valid body that must not be stored; its texts and integers contain the mark of the run. */
  const refused = (mark: number) => marked(samples.full, `refused ${mark}`, mark)
  return {
    full: marked(samples.full, 'Contract check, "Zoë" & 🐶', 2),
    /** Its integers are beyond 2^53 if the contract allows that. */
    required: marked(samples.required, 'Contract check, required fields', BEYOND_SAFE),
    withId: { id: UNKNOWN_ID, ...marked(samples.required, 'Contract check, own id', 2) },
    refused,
    /** The part of a body that a response should contain: a service does not return write-only fields. */
    returned: (pet: NewPet): NewPet =>
      fieldsOf(schema, pet)
        .filter(({ schema: { writeOnly } }) => writeOnly === true)
        .reduce((before, { path }) => withValue(before, path, undefined), pet),
    invalid: invalidBodies(schema, refused, validate),
  }
}

/** An invalid value of a field: the end of the check's id, the value in words, and the value. */
type WrongValue = readonly [id: string, words: string, value: unknown]

/**
 * Bodies that createPet must refuse, made from its schema: for each required field a body without it, for each field
 * values that the schema does not allow. `title` is a description, such as `a body without name`. `valid` returns a body
 * that only these changes make invalid; its mark shows in a list whether it was stored.
 */
function invalidBodies(schema: SchemaObject, valid: (mark: number) => NewPet, validate: Validator) {
  const sample = valid(0)
  const isInvalid = (path: JsonPath, value: unknown) => !validate(withValue(sample, path, value))
  const fields = fieldsOf(schema, sample)
  const names = new Set(fields.map(({ path }) => pathText(path)))
  /** In ids of checks, `categoryId` is `category` unless another field has that name. */
  const labelOf = (path: JsonPath): string => {
    const short = pathText(path).replace(/Id$/, '')
    return names.has(short) ? pathText(path) : short
  }
  const missing = fields
    .filter(({ path }) => typeof path.at(-1) === 'string' && isInvalid(path, undefined))
    .map(({ path }) => change(path, `no-${labelOf(path)}`, `a body without ${pathText(path)}`, undefined))
  const wrong = fields.flatMap(({ path, schema: field }) =>
    wrongValues(field, valueAt(sample, path))
      .filter(([, , value]) => value !== undefined && isInvalid(path, value))
      .map(([id, words, value]) =>
        change(path, `${labelOf(path)}-${id}`, `${words} as ${pathText(path)}`, value),
      ),
  )
  return [
    { id: 'none', title: 'no body', body: () => undefined },
    ...(validate({}) ? [] : [{ id: 'empty', title: 'an empty object', body: () => '{}' }]),
    ...missing,
    ...wrong,
    { id: 'array', title: 'an array', body: (mark: number) => [valid(mark)] },
    { id: 'cut', title: 'a truncated body', body: (mark: number) => stringifyJson(valid(mark)).slice(0, -1) },
  ]

  function change(path: JsonPath, id: string, title: string, value: unknown) {
    return { id, title, body: (mark: number) => withValue(valid(mark), path, value) }
  }
}

interface Field {
  readonly path: JsonPath
  readonly schema: SchemaObject
}

/** The fields of an object that the sample has, with the fields of inner objects and of the first item of each array. */
function fieldsOf({ properties, items }: SchemaObject, sample: unknown, path: JsonPath = []): Field[] {
  const inner = Object.entries({ ...properties, ...(items && { 0: items }) })
  return inner
    .map(([step, schema]) => ({ path: [...path, items ? Number(step) : step], schema: withoutNull(schema) }))
    .filter((field) => valueAt(sample, field.path) !== undefined)
    .flatMap((field) => [field, ...fieldsOf(field.schema, sample, field.path)])
}

/** The only alternative to null, if there is one. */
function withoutNull(schema: SchemaObject): SchemaObject {
  const [only, another] = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== 'null')
  return only && !another ? { ...schema, ...only } : schema
}

/** Values that a schema probably refuses: of another type, and beyond each limit. */
function wrongValues(schema: SchemaObject, sample: unknown): WrongValue[] {
  const limits = Object.entries(BEYOND).flatMap(([keyword, beyond]) =>
    schema[keyword] === undefined ? [] : [beyond(schema[keyword] as never, sample as never)],
  )
  return [...wrongTypes(schema), ...limits]
}

const A_NUMBER: WrongValue = ['number', 'a number', 1]
const A_TEXT: WrongValue = ['text', 'a string', '1']
const NULL: WrongValue = ['null', 'null', null]
const BEYOND_INT64: WrongValue = ['range', '2^63, beyond int64,', 2n ** 63n]

function wrongTypes({ type, format, enum: values }: SchemaObject): readonly WrongValue[] {
  if (Array.isArray(values)) {
    const unknown = ['lost', 'gone'].find((value) => !values.includes(value))
    const all = values.map((value) => (typeof value === 'string' ? value.toUpperCase() : value))
    const upper = all.find((value) => !values.includes(value))
    return [['unknown', 'an unknown value', unknown], ['case', 'a value in capitals', upper], A_NUMBER, NULL]
  }
  const types = [type].flat()
  if (types.includes('string')) {
    const ofFormat: WrongValue = ['format', `a string that is not a ${format}`, `no ${format}`]
    return [A_NUMBER, NULL, ...(format === undefined ? [] : [ofFormat])]
  }
  if (types.includes('integer'))
    return [A_TEXT, NULL, ['fraction', '1.5', 1.5], ...(format === 'int64' ? [BEYOND_INT64] : [])]
  return type === undefined ? [A_NUMBER, A_TEXT, NULL] : [A_TEXT]
}

/** The longest text or array that is sent; a longer one may be refused for its size. */
const LONGEST = 50_000

const textOf = (length: number): string => 'x'.repeat(Math.max(0, Math.min(length, LONGEST)))

/** By keyword, a value beyond the limit. `sample`: a valid value. */
const BEYOND: Readonly<Record<string, (limit: never, sample: never) => WrongValue>> = {
  pattern: () => ['pattern', 'a string of another pattern', ' '],
  minLength: (limit: number) => ['short', 'a string that is too short', textOf(limit - 1)],
  maxLength: (limit: number) => ['long', 'a string that is too long', textOf(limit + 1)],
  minimum: (limit: number) => ['low', String(limit - 1), limit - 1],
  exclusiveMinimum: (limit: number) => ['low', String(limit), limit],
  maximum: (limit: number) => ['high', String(limit + 1), limit + 1],
  exclusiveMaximum: (limit: number) => ['high', String(limit), limit],
  uniqueItems: (_: boolean, [item]: unknown[] = []) => [
    'twice',
    'an array of the same item twice',
    [item, item],
  ],
  minItems: () => ['few', 'an empty array', []],
  maxItems: (limit: number, [item]: unknown[] = []) => [
    'many',
    `an array of ${limit + 1} items`,
    new Array(Math.min(limit + 1, LONGEST)).fill(item),
  ],
}
