import type { Ajv, AnySchema, KeywordCxt } from 'ajv'
import {
  bodyOf,
  inlined,
  mapSchemas,
  type OpenApiDocument,
  operationsOf,
  parametersOf,
  type SchemaObject,
  schemaOf,
} from './document.ts'
import { storedPetSchema } from './pet-schema.ts'
import { STORED_PET } from './validators.ts'

export const AJV_OPTIONS = {
  allErrors: true,
  verbose: true,
  strict: true,
  strictTypes: false,
  strictRequired: false,
  validateFormats: false,
  // 19.99 is a multiple of 0.01, though 19.99 / 0.01 is not an integer in floating point.
  multipleOfPrecision: 9,
} as const

/**
 * The schemas of a contract that validate requests, as Ajv schemas by name: `createPet body`,
 * `listPets query limit`. Ajv knows no bigint, so `format: int64` becomes a keyword of its own.
 */
export function requestSchemas(document: OpenApiDocument): Record<string, AnySchema> {
  const schemas: Record<string, AnySchema> = {}
  const storedPet = storedPetSchema(document)
  if (storedPet) schemas[STORED_PET] = forAjv(storedPet)
  for (const { path, operation } of operationsOf(document)) {
    const schema = bodyOf(document, operation)?.schema
    if (schema)
      schemas[`${operation.operationId} body`] = forAjv(mapSchemas(inlined(document, schema), asSent))
    for (const parameter of parametersOf(document, path, operation)) {
      const name = `${operation.operationId} ${parameter.in} ${parameter.name}`
      const declared = schemaOf(parameter)
      if (declared) schemas[name] = forAjv(inlined(document, declared))
    }
  }
  return schemas
}

/**
 * The keyword that replaces `type: integer, format: int64`: a safe integer, or a bigint within 64 bits; a list has the
 * other types that the schema accepts. For bigints it also checks the bounds, which Ajv checks for numbers only.
 */
export function addInt64(ajv: Ajv, _: typeof import('ajv')._): void {
  ajv.addKeyword({
    keyword: 'int64',
    schemaType: ['boolean', 'array'],
    code(cxt: KeywordCxt) {
      const { data, parentSchema, schema } = cxt
      const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = parentSchema
      const outside = [
        ...(typeof minimum === 'number' ? [_`${data} < ${minimum}`] : []),
        ...(typeof maximum === 'number' ? [_`${data} > ${maximum}`] : []),
        ...(typeof exclusiveMinimum === 'number' ? [_`${data} <= ${exclusiveMinimum}`] : []),
        ...(typeof exclusiveMaximum === 'number' ? [_`${data} >= ${exclusiveMaximum}`] : []),
        ...(Number.isInteger(multipleOf) ? [_`${data} % BigInt(${multipleOf}) !== BigInt(0)`] : []),
      ].map((isOutside) => _` && !(${isOutside})`)
      const isInt64 = _`${data} === BigInt.asIntN(64, ${data})`
      const within = outside.reduce((code, more) => _`${code}${more}`, isInt64)
      const others = (Array.isArray(schema) ? schema : []).map((type) =>
        type === 'null' ? _`${data} === null` : _`typeof ${data} === ${type}`,
      )
      const isOther = others.reduce((code, more) => _`${code} || ${more}`, _`false`)
      cxt.fail(_`!(${isOther} || (typeof ${data} === "bigint" ? ${within} : Number.isSafeInteger(${data})))`)
    },
  })
}

/** A read-only field is required in responses only (OpenAPI 3.0.3, Schema Object). */
function asSent(schema: SchemaObject): SchemaObject {
  const { required, properties } = schema
  if (!required) return schema
  return { ...schema, required: required.filter((name) => properties?.[name]?.readOnly !== true) }
}

/** A copy of a schema without references, with the int64 keyword in place of the format. */
export const forAjv = (schema: SchemaObject): SchemaObject =>
  mapSchemas(schema, (each) => {
    // `x-validated-by: operation`: the operation validates the value itself, with a better message.
    if (each['x-validated-by'] === 'operation') return {}
    const { example: _example, examples: _examples, ...rest } = each
    const types = [rest.type ?? 'integer'].flat()
    if (rest.format !== 'int64' || !types.includes('integer')) return rest
    const { type: _type, format: _format, ...others } = rest
    const beside = types.filter((type) => type !== 'integer' && type !== 'number')
    return { ...others, int64: beside.length === 0 || beside }
  })
