import type { SchemaObject } from '../contract/openapi/document.ts'

const SPAN = 1_000_000

/**
 * A schema from which plausible values are generated: integers from 1 to a million where it has no bounds,
 * and no additional members in an object that declares none.
 */
export function plausible(schema: SchemaObject): SchemaObject {
  if (schema.type === 'integer') return { ...schema, ...bounds(schema) }
  if (schema.type === 'object' && !SHAPING.some((keyword) => keyword in schema)) {
    return { ...schema, additionalProperties: false }
  }
  return schema
}

const SHAPING = [
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'required',
  'minProperties',
  'allOf',
  'anyOf',
  'oneOf',
  '$ref',
  'if',
]

function bounds(schema: SchemaObject): { minimum: number; maximum: number } | undefined {
  if ('enum' in schema || 'const' in schema || 'exclusiveMinimum' in schema || 'exclusiveMaximum' in schema) {
    return undefined
  }
  const { minimum, maximum } = schema
  const lowest = minimum ?? (maximum === undefined || maximum >= 1 ? 1 : maximum - SPAN)
  return { minimum: lowest, maximum: Math.min(maximum ?? Number.POSITIVE_INFINITY, lowest + SPAN) }
}
