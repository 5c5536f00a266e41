import type { AnySchemaObject } from 'ajv'
import { errorMessage } from '../text/error.ts'
import { ApiError } from '../world/api-error.ts'
import type { Prism, PrismOperation } from './prism.ts'

/** Rejects a schema that does not compile: Prism would report nothing and accept every value. */
export async function checkSchemas({ operations }: Prism): Promise<void> {
  const { Ajv2020 } = await import('ajv/dist/2020.js')
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })
  for (const [id, operation] of operations) {
    const { __bundled__ } = operation as { __bundled__?: unknown }
    for (const schema of new Set(schemasOf(operation))) {
      try {
        ajv.compile({ ...schema, __bundled__ })
      } catch (error) {
        throw new ApiError('invalid_request', `A schema of ${id} is invalid: ${errorMessage(error)}.`)
      }
    }
  }
}

function schemasOf({ request = {}, responses }: PrismOperation): AnySchemaObject[] {
  const { path = [], query = [], headers = [], body } = request
  const parts = [
    ...path,
    ...query,
    ...headers,
    ...(body?.contents ?? []),
    ...responses.flatMap((response) => [...(response.headers ?? []), ...(response.contents ?? [])]),
  ]
  return parts.flatMap(({ schema }) => (schema === undefined ? [] : [schema as AnySchemaObject]))
}
