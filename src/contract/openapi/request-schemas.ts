import type { Ajv, AnySchema, KeywordCxt } from 'ajv'
import type { OpenApiDocument, SchemaObject } from './document.ts'
import { inlined, mapSchemas, operationsOf, resolveRef } from './document.ts'
import { recordSchema } from './record-schema.ts'
import { RECORD } from './validators.ts'

export const AJV_OPTIONS = {
  allErrors: true,
  verbose: true,
  strict: true,
  strictTypes: false,
  strictRequired: false,
  unicodeRegExp: false,
  validateFormats: false,
} as const

/**
 * The schemas of a contract that validate requests, as Ajv schemas by name: `createPet body`,
 * `listPets query limit`. Ajv knows no bigint, so `format: int64` becomes a keyword of its own.
 */
export function requestSchemas(document: OpenApiDocument): Record<string, AnySchema> {
  const schemas: Record<string, AnySchema> = {}
  const record = recordSchema(document)
  if (record) schemas[RECORD] = forAjv(record)
  for (const { operation } of operationsOf(document)) {
    const body = operation.requestBody && resolveRef(document, operation.requestBody)
    const schema = body?.content?.['application/json']?.schema
    if (schema) schemas[`${operation.operationId} body`] = forAjv(inlined(document, schema))
    for (const reference of operation.parameters ?? []) {
      const parameter = resolveRef(document, reference)
      if (!parameter.schema) continue
      schemas[`${operation.operationId} ${parameter.in} ${parameter.name}`] = forAjv(
        inlined(document, parameter.schema),
      )
    }
  }
  return schemas
}

/**
 * The keyword that replaces `type: integer, format: int64`: a safe integer, or a bigint within 64 bits. For
 * bigints it also checks the bounds, which Ajv checks for numbers only.
 */
export function addInt64(ajv: Ajv, _: typeof import('ajv')._): void {
  ajv.addKeyword({
    keyword: 'int64',
    schemaType: 'boolean',
    code(cxt: KeywordCxt) {
      const { data, parentSchema } = cxt
      const outside = [
        ...(typeof parentSchema.minimum === 'number' ? [_`${data} < ${parentSchema.minimum}`] : []),
        ...(typeof parentSchema.maximum === 'number' ? [_`${data} > ${parentSchema.maximum}`] : []),
      ].map((isOutside) => _` && !(${isOutside})`)
      const within = outside.reduce(
        (code, more) => _`${code}${more}`,
        _`${data} === BigInt.asIntN(64, ${data})`,
      )
      cxt.fail(_`!(typeof ${data} === "bigint" ? ${within} : Number.isSafeInteger(${data}))`)
    },
  })
}

/** A copy of a schema without references, with the int64 keyword in place of the format. */
export const forAjv = (schema: SchemaObject): SchemaObject =>
  mapSchemas(schema, (each) => {
    // `x-validated-by: operation`: the operation validates the value itself, with a better message.
    if (each['x-validated-by'] === 'operation') return {}
    const { example: _example, examples: _examples, ...rest } = each
    if (rest.format !== 'int64') return rest
    const { type: _type, format: _format, ...others } = rest
    return { ...others, int64: true }
  })
