import { _, Ajv2020, type AnySchema } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { errorMessage } from '../../text/error.ts'
import { InvalidDocument, mapSchemas, type OpenApiDocument, type SchemaObject } from './document.ts'
import { AJV_OPTIONS, addInt64, requestSchemas } from './request-schemas.ts'
import type { Validator, Validators } from './validators.ts'

/**
 * Compiles the validators of a contract at run time, which an overlay needs. Formats are validated (the interface
 * itself has int64 only); keywords that Ajv does not know, such as extensions, are ignored. Throws an InvalidDocument.
 */
export function compileValidators(document: OpenApiDocument): Validators {
  const ajv = new Ajv2020({ ...AJV_OPTIONS, strict: false, logger: false, validateFormats: true })
  addFormats.default(ajv)
  addInt64(ajv, _)
  const compiled = ([name, schema]: [string, AnySchema]) => {
    try {
      // Messages quote a description as the valid form, as in the control API. Those of an API only explain the value.
      const plain = mapSchemas(schema as SchemaObject, ({ description: _description, ...rest }) => rest)
      return [name, ajv.compile(plain) as Validator]
    } catch (error) {
      if (error instanceof EvalError)
        throw new InvalidDocument('overlays are compiled with new Function, which this runtime forbids')
      // Ajv throws an Error for a schema that it cannot compile, and a SyntaxError for a pattern.
      if (error instanceof TypeError || error instanceof RangeError) throw error
      throw new InvalidDocument(errorMessage(error))
    }
  }
  return Object.fromEntries(Object.entries(requestSchemas(document)).map(compiled))
}
