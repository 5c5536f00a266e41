import { _, Ajv2020, type AnySchema } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { InvalidDocument, type OpenApiDocument } from './document.ts'
import { AJV_OPTIONS, addInt64, requestSchemas } from './request-schemas.ts'
import type { Validator, Validators } from './validators.ts'

/**
 * Validators of a contract's requests and pets, compiled at run time: for a contract that did not exist at build
 * time. Its formats are validated (the interface itself has int64 only); keywords that Ajv does not know, such as
 * extensions, are ignored. Throws an InvalidDocument.
 */
export function compileValidators(document: OpenApiDocument): Validators {
  const ajv = new Ajv2020({ ...AJV_OPTIONS, strict: false, logger: false, validateFormats: true })
  addFormats.default(ajv)
  addInt64(ajv, _)
  const compiled = ([name, schema]: [string, AnySchema]) => {
    try {
      return [name, ajv.compile(schema) as Validator]
    } catch (error) {
      // What Ajv cannot compile it says with an Error, and a pattern with a SyntaxError.
      if (error instanceof TypeError || error instanceof RangeError) throw error
      throw new InvalidDocument((error as Error).message)
    }
  }
  return Object.fromEntries(Object.entries(requestSchemas(document)).map(compiled))
}
