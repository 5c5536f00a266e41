import { _, Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { OpenApiDocument } from './document.ts'
import { AJV_OPTIONS, addInt64, requestSchemas } from './request-schemas.ts'
import type { Validator, Validators } from './validators.ts'

/**
 * Validators of a contract's requests and pets, compiled at run time: for a contract that did not exist at build
 * time. Its formats are validated (the interface itself has int64 only); keywords that Ajv does not know, such as
 * extensions, are ignored.
 */
export function compileValidators(document: OpenApiDocument): Validators {
  const ajv = new Ajv2020({ ...AJV_OPTIONS, strict: false, logger: false, validateFormats: true })
  addFormats.default(ajv)
  addInt64(ajv, _)
  const schemas = Object.entries(requestSchemas(document))
  return Object.fromEntries(schemas.map(([name, schema]) => [name, ajv.compile(schema) as Validator]))
}
