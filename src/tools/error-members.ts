import { inlined, type OpenApiDocument } from '../contract/openapi/document.ts'
import { objectSchema } from '../contract/openapi/pet-schema.ts'

/** The members that an Error may have (interface, section 7); an overlay can add some. */
export const errorMembers = (document: OpenApiDocument): readonly string[] =>
  Object.keys(objectSchema(inlined(document, document.components?.schemas?.Error ?? {})).properties ?? {})
