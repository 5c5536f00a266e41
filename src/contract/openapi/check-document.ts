import { shorten } from '../../text/shorten.ts'
import { validators } from '../generated/document.validators.js'
import {
  InvalidDocument,
  inlined,
  MAX_INLINED,
  mapSchemas,
  type OpenApiDocument,
  resolveRef,
  type SchemaObject,
  withBeside,
} from './document.ts'
import { isObject } from './json.ts'
import { type Validator, violations } from './validators.ts'

/** Throws an InvalidDocument if a part that the sandbox reads has another type than OpenAPI says. */
export function checkDocument(document: OpenApiDocument): void {
  const budget = { left: MAX_INLINED }
  // Keywords beside a reference apply in schemas only.
  const read = (members: Members): Members => inlined(document, members, budget, resolveRef)
  const schemas: unknown = document.components?.schemas
  const shape = {
    ...document,
    paths: mapped(document.paths, ({ parameters, ...operations }) => ({
      ...read({ parameters }),
      ...(mapped(operations, ({ responses, ...each }) => ({ ...read(each), responses })) as Members),
    })),
    components: {
      ...document.components,
      schemas: isObject(schemas)
        ? { ...schemas, ...read({ Pet: schemas.Pet, NewPet: schemas.NewPet }) }
        : schemas,
    },
  }
  const [text] = violations(validators.document as Validator, shape)
  if (text !== undefined) throw new InvalidDocument(text)
  mapSchemas({ ...document }, (each) => {
    // A reference of a response without a target would be noticed at a request only.
    resolveRef(document, each)
    const { type, enum: values } = withBeside(document, each)
    if (each.nullable === true && (type === undefined || (Array.isArray(values) && !values.includes(null))))
      throw new InvalidDocument(
        `nullable needs a type beside it, and null in the enum if there is one: ${shorten(JSON.stringify(each), 200)}`,
      )
    return each
  })
}

/** A copy with the type null in place of `nullable`, a keyword of OpenAPI 3.0 that readers of 3.1 ignore. */
export const withoutNullable = (document: OpenApiDocument): OpenApiDocument =>
  mapSchemas({ ...document }, (each) => {
    const { nullable, ...schema } = each
    if (typeof nullable !== 'boolean') return each
    const { $ref, type, anyOf, ...beside } = schema
    if (!nullable) return schema
    if (type !== undefined) return { ...schema, type: [...new Set([type, 'null'].flat())] }
    return { ...beside, anyOf: [{ $ref, ...(anyOf && { anyOf }) }, { type: 'null' }] }
  }) as OpenApiDocument & SchemaObject

type Members = Record<string, unknown>

/** A copy of an object with its inner objects replaced. Any other value is unchanged. */
const mapped = (value: unknown, replace: (members: Members) => Members): unknown =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, each]) => [name, isObject(each) ? replace(each) : each]),
      )
    : value
