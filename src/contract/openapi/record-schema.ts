import { inlined, type OpenApiDocument, type SchemaObject } from './document.ts'

/**
 * The schema of a stored pet, without references: every field of `Pet`, then those that only `NewPet` has
 * (interface, section 2: a Pet has every field of NewPet). The id may be missing, because a fixture may omit it.
 * Undefined if the document has no pets.
 */
export function recordSchema(document: OpenApiDocument): SchemaObject | undefined {
  const { Pet, NewPet } = document.components?.schemas ?? {}
  if (!Pet || !NewPet) return undefined
  const pet = flattened(inlined(document, Pet))
  const created = flattened(inlined(document, NewPet))
  // The id first, then the order of Pet; a field of both is that of Pet.
  const properties = { id: {}, ...pet.properties, ...created.properties, ...pet.properties }
  return {
    type: 'object',
    required: pet.required.filter((name) => name !== 'id'),
    properties: { ...properties, id: { ...properties.id, minimum: 0 } },
    ...(pet.rest.length > 0 && { allOf: pet.rest }),
  }
}

interface Flattened {
  readonly properties: Readonly<Record<string, SchemaObject>>
  readonly required: readonly string[]
  /** The other constraints. */
  readonly rest: readonly SchemaObject[]
}

/** An object schema with the fields of its `allOf` among its own. */
export function objectSchema(schema: SchemaObject): SchemaObject {
  const { properties, required, rest } = flattened(schema)
  return { type: 'object', required, properties, ...(rest.length > 0 && { allOf: rest }) }
}

/** The fields of an object schema, including those of its `allOf`. `additionalProperties` is ignored. */
function flattened(schema: SchemaObject): Flattened {
  const {
    properties = {},
    required = [],
    allOf = [],
    type: _type,
    title: _title,
    description: _description,
    example: _example,
    examples: _examples,
    additionalProperties: _additional,
    unevaluatedProperties: _unevaluated,
    ...rest
  } = schema
  const parts = allOf.map(flattened)
  return {
    properties: Object.assign({}, ...parts.map((part) => part.properties), properties),
    required: [...new Set([...parts.flatMap((part) => part.required), ...required])],
    rest: [...parts.flatMap((part) => part.rest), ...(Object.keys(rest).length > 0 ? [rest] : [])],
  }
}
