import type { Ajv, AnySchema, KeywordCxt } from 'ajv'
import type { OpenApiDocument, OperationObject, SchemaObject } from './document.ts'
import { operationsOf, resolveRef } from './document.ts'

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
 * The schemas of a contract that requests are judged by, as Ajv schemas by name: `createPet body`,
 * `listPets query limit`. Ajv knows no bigint, so `format: int64` becomes a keyword of its own.
 */
export function requestSchemas(document: OpenApiDocument): Record<string, AnySchema> {
  const schemas: Record<string, AnySchema> = {}
  for (const { operation } of operationsOf(document)) {
    const body = bodySchema(document, operation)
    if (body) schemas[`${operation.operationId} body`] = judged(document, body)
    for (const reference of operation.parameters ?? []) {
      const parameter = resolveRef(document, reference)
      if (!parameter.schema) continue
      schemas[`${operation.operationId} ${parameter.in} ${parameter.name}`] = judged(
        document,
        parameter.schema,
      )
    }
  }
  return schemas
}

/** The keyword that stands for `type: integer, format: int64`: a safe integer, or a bigint within 64 bits. */
export function addInt64(ajv: Ajv, _: typeof import('ajv')._): void {
  ajv.addKeyword({
    keyword: 'int64',
    schemaType: 'boolean',
    code(cxt: KeywordCxt) {
      const { data } = cxt
      cxt.fail(
        _`!(typeof ${data} === "bigint" ? ${data} === BigInt.asIntN(64, ${data}) : Number.isSafeInteger(${data}))`,
      )
    },
  })
}

function bodySchema(document: OpenApiDocument, operation: OperationObject): SchemaObject | undefined {
  const body = operation.requestBody && resolveRef(document, operation.requestBody)
  return body?.content?.['application/json']?.schema
}

/**
 * A copy without references, and with the int64 keyword in place of the format. What `x-judged-by: operation`
 * marks is left to the operation, which has more to say about it than a schema can.
 */
function judged(document: OpenApiDocument, schema: SchemaObject): SchemaObject {
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy)
    if (typeof value !== 'object' || value === null) return value
    const resolved = resolveRef(document, value as SchemaObject)
    if (resolved['x-judged-by'] === 'operation') return {}
    const entries = Object.entries(resolved).map(([name, member]) => [name, copy(member)])
    const { example: _example, examples: _examples, ...rest } = Object.fromEntries(entries)
    if (rest.format !== 'int64') return rest
    const { type: _type, format: _format, ...others } = rest
    return { ...others, int64: true }
  }
  return copy(schema) as SchemaObject
}
