import { InvalidDocument, inlined, type OpenApiDocument, type SchemaObject } from './document.ts'
import { isObject } from './json.ts'

/**
 * The schema of a stored pet, without references: every field of `Pet`, then those that only `NewPet` has
 * (interface, section 2: a Pet has every field of NewPet). The id may be missing, because a fixture may omit it.
 * Undefined if the document has no pets.
 */
export function storedPetSchema(document: OpenApiDocument): SchemaObject | undefined {
  const { Pet, NewPet } = document.components?.schemas ?? {}
  if (!Pet || !NewPet) return undefined
  const pet = objectSchema(inlined(document, Pet))
  const created = objectSchema(inlined(document, NewPet))
  // The id first, then the order of Pet; a field of both is that of Pet.
  const all = { ...pet.properties, ...created.properties, ...pet.properties }
  const properties: { readonly id: SchemaObject } = { id: {}, ...all }
  if (properties.id.type !== 'integer')
    throw new InvalidDocument('the id of a pet must be of the type integer')
  // Every JavaScript object inherits a member of that name, so that a missing field would not look missing.
  const inherited = Object.keys(properties).find((name) => name in Object.prototype)
  if (inherited) throw new InvalidDocument(`a pet cannot have a field "${inherited}"; use another name`)
  return {
    ...pet,
    required: pet.required.filter((name) => name !== 'id'),
    properties: { ...properties, id: { ...properties.id, minimum: 0 } },
  }
}

interface ObjectSchema extends SchemaObject {
  properties: Record<string, SchemaObject>
  required: readonly string[]
}

/** Keywords that constrain nothing, and those of other members, which are not stored. */
const IGNORED = /^(type|title|description|examples?|additionalProperties|unevaluatedProperties)$/

/**
 * An object schema with the fields of its `allOf` and of its alternatives among its own. Its own `allOf` has the other
 * constraints, such as the schemas that the alternatives have for their fields.
 */
export function objectSchema(schema: SchemaObject): ObjectSchema {
  const { properties = {}, required = [], allOf = [], ...others } = schema
  const parts = allOf.map(objectSchema)
  const declared: Record<string, SchemaObject> = {}
  for (const [name, field] of [...parts.map((part) => part.properties), properties].flatMap(Object.entries))
    declared[name] = isObject(field) ? { ...declared[name], ...field } : field
  const alternatives = [others.anyOf, others.oneOf, others.then, others.else].flat() as SchemaObject[]
  const further = alternatives.flatMap((each) => Object.keys(each ? objectSchema(each).properties : {}))
  const constraints = Object.entries(others).filter(([keyword]) => !IGNORED.test(keyword))
  const all = parts.flatMap((part) => part.allOf ?? [])
  if (constraints.length > 0) all.push(Object.fromEntries(constraints))
  return {
    type: 'object',
    required: [...new Set([...parts.flatMap((part) => part.required), ...required])],
    properties: { ...declared, ...Object.fromEntries(further.map((name) => [name, declared[name] ?? {}])) },
    ...(all.length > 0 && { allOf: all }),
  }
}

const FOR_MORE_MEMBERS = ['patternProperties', 'anyOf', 'oneOf', 'if', '$ref']

/** Whether an object schema describes more members than `objectSchema` lists, or no members at all. */
export function takesOthers(schema: SchemaObject): boolean {
  const { properties, additionalProperties = false, allOf = [] } = schema
  if (additionalProperties !== false || FOR_MORE_MEMBERS.some((keyword) => keyword in schema)) return true
  return allOf.length > 0 ? allOf.some(takesOthers) : properties === undefined
}
