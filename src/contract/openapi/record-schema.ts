import { InvalidDocument, inlined, type OpenApiDocument, type SchemaObject } from './document.ts'

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
  const all = { ...pet.properties, ...created.properties, ...pet.properties }
  const properties: { readonly id: SchemaObject } = { id: {}, ...all }
  if (properties.id.type !== 'integer')
    throw new InvalidDocument('the id of a pet must be of the type integer')
  // Every JavaScript object inherits a member of that name, so that a missing field would not look missing.
  const inherited = Object.keys(properties).find((name) => name in Object.prototype)
  if (inherited) throw new InvalidDocument(`a pet cannot have a field "${inherited}"; use another name`)
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

const FOR_MORE_MEMBERS = ['patternProperties', 'anyOf', 'oneOf', 'if', '$ref']

/** Whether an object schema describes more members than `objectSchema` lists, or no members at all. */
export function takesOthers(schema: SchemaObject): boolean {
  const { properties, additionalProperties = false, allOf = [] } = schema
  if (additionalProperties !== false || FOR_MORE_MEMBERS.some((keyword) => keyword in schema)) return true
  return allOf.length > 0 ? allOf.some(takesOthers) : properties === undefined
}

/** Keywords that constrain nothing, and those of other members, which are not stored. */
const IGNORED = /^(type|title|description|examples?|additionalProperties|unevaluatedProperties)$/

/** The fields of an object schema, including those of its `allOf`. `additionalProperties` is ignored. */
function flattened({ properties = {}, required = [], allOf = [], ...others }: SchemaObject): Flattened {
  const parts = allOf.map(flattened)
  const rest = Object.entries(others).filter(([keyword]) => !IGNORED.test(keyword))
  return {
    properties: Object.assign({}, ...parts.map((part) => part.properties), properties),
    required: [...new Set([...parts.flatMap((part) => part.required), ...required])],
    rest: [...parts.flatMap((part) => part.rest), ...(rest.length > 0 ? [Object.fromEntries(rest)] : [])],
  }
}
