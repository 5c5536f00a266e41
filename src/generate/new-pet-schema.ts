import { type OpenApiDocument, resolveRef, type SchemaObject } from '../openapi/document.ts'

/** The schema of a NewPet, without references, as `generatePets` takes it. */
export function newPetSchema(document: OpenApiDocument): SchemaObject {
  const schema = resolveRef<SchemaObject>(document, { $ref: '#/components/schemas/NewPet' })
  const properties = Object.entries(schema.properties as Record<string, SchemaObject>)
  return {
    ...schema,
    properties: Object.fromEntries(
      properties.map(([name, property]) => [name, resolveRef(document, property)]),
    ),
  }
}
